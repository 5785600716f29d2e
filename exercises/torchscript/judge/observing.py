"""What a saved ScriptModule does: loaded from its bytes, run on fresh inputs, its graph searched.

torch.jit.load reads an archive of pickled data and code in C++, and running what it holds is
running a program of the student's. So this is done in a box of its own, without student code and
without references: what breaks out of the interpreter finds no answers. Nothing that lived in the
Python object alone (a patched `forward`, a hook in Python) has come here.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load, save

from formatlab.measure import float64
from formatlab_exercises.torchscript import building
from formatlab_exercises.torchscript.files import (
    GRAPH,
    IDLE,
    INPUTS,
    MODULE,
    OUTPUTS,
    REPORT,
    RUNS,
    STATE,
)
from formatlab_exercises.torchscript.running import reason
from nbjudge.contract import Answer, Case
from nbjudge.rungs import outcome

# What is looked for among the nodes of the graph: its printed text may hold these words in a string
# of the student's.
IF, LOOP = CONTROL = ("prim::If", "prim::Loop")
# How all nodes of a kind are made to decide, one after the other.
FIXED: Mapping[str, tuple[object, ...]] = {IF: (True, False), LOOP: (1,)}
# Less than this share of the largest number is no difference.
NOISE = 1e-3
# By how much every weight is multiplied for the run with other weights.
CHANGED = 1.25


def observe(case: Case, answer: Answer) -> Answer:
    """The answer with outputs, state and graph in place of the module, and in `report.json` besides
    `kept` and `saved`:

    `runs` has an empty text or an error for each run, the one with changed weights included;
    `random` says whether two runs on one input differ.
    """
    claimed = outcome.report(answer, REPORT, saved=str)  # the rungs look at what else it says
    if answer.outcome != "returned" or claimed is None:
        return Answer(answer.outcome, {}, answer.error)
    report: dict[str, Any] = {
        "kept": claimed.get("kept"),
        "saved": claimed.get("saved"),
        "runs": [],
        "random": False,
    }
    files = {OUTPUTS: save({}), STATE: save({}), GRAPH: b""}
    if MODULE in answer.files:
        calls = inputs(case)
        try:
            files |= _seen(answer.files[MODULE], calls, report)
        except MemoryError:
            raise
        except Exception as error:  # a module can be anything that its student can save: without forward, with tensors without numbers
            report |= {"saved": reason(error), "runs": []}
    elif not report["saved"]:
        report["saved"] = "there is no saved module"
    return Answer(answer.outcome, {**files, REPORT: json.dumps(report).encode()}, answer.error)


def _seen(saved: bytes, calls: Mapping[str, tuple], report: dict) -> dict[str, bytes]:
    loaded = _loaded(saved)
    graph = "\n".join(
        kind if _decides(saved, kind, calls) else f"{IDLE}{kind}"
        for kind in CONTROL
        if loaded.inlined_graph.findAllNodes(kind)
    ).encode()
    state = save(
        {
            name: np.ascontiguousarray(tensor.detach().numpy())
            for name, tensor in loaded.state_dict().items()
        }
    )
    return {GRAPH: graph, STATE: state, OUTPUTS: save(_run(loaded, calls, report))}


def _loaded(saved: bytes) -> torch.jit.ScriptModule:
    return torch.jit.load(io.BytesIO(saved), map_location="cpu")


def _decides(saved: bytes, kind: str, calls: Mapping[str, tuple[torch.Tensor, ...]]) -> bool:
    """Whether outputs, or errors, depend on how these nodes decide: whichever branch all Ifs take is
    the wrong one for some input, and one step is too few for some. Each module is loaded anew,
    because one that decides otherwise may change its own state.
    """
    return all(
        any(
            not _alike(*(_call(run, arguments, {"runs": []}) for run in runs))
            for arguments in calls.values()
        )
        for runs in (
            (_loaded(saved), _deciding(_loaded(saved), kind, choice)) for choice in FIXED[kind]
        )
    )


def _deciding(loaded: torch.jit.ScriptModule, kind: str, choice: object) -> Callable:
    """The module, where each If takes that branch, or each Loop that many steps at most."""
    graph = loaded.inlined_graph  # made anew for each who asks
    for node in graph.findAllNodes(kind):
        graph.setInsertPoint(node)
        node.replaceInput(0, graph.insertConstant(choice))
    return partial(torch._C._create_function_from_graph("otherwise", graph), loaded._c)


def _alike(first: Mapping[str, np.ndarray], second: Mapping[str, np.ndarray]) -> bool:
    """Whether outputs are the same, but for what a vanishing factor may change."""
    return first.keys() == second.keys() and all(
        value.shape == second[key].shape
        and np.allclose(value, second[key], rtol=0, atol=NOISE * _largest(value), equal_nan=True)
        for key, value in first.items()
    )


def _largest(value: np.ndarray) -> float:
    finite = np.abs(value[np.isfinite(value)].astype(float))
    return float(finite.max(initial=0))


def inputs(case: Case) -> dict[str, tuple[torch.Tensor, ...]]:
    """The arguments of each call: `example`, and `0`, `1`, ..."""
    arrays = load(case.files[INPUTS])
    places = ("example", *map(str, range(RUNS)))
    return {
        place: tuple(
            torch.from_numpy(arrays[key]) for key in sorted(arrays) if key.startswith(f"{place}/")
        )
        for place in places
    }


def exact(case: Case) -> dict[str, np.ndarray]:
    """What the module itself gives in evaluation mode, in float64, under the names of `_run`."""
    calls = inputs(case)
    module = building.build(case).eval()
    arrays = _exactly(module, {place: calls[place] for place in map(str, range(RUNS))})
    with torch.no_grad():
        for tensor in module.state_dict().values():
            if tensor.is_floating_point():
                tensor.mul_(CHANGED)
    return arrays | _exactly(module, {"weights": calls["0"]})


def _exactly(
    module: torch.nn.Module, calls: Mapping[str, tuple[torch.Tensor, ...]]
) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    for place, arguments in calls.items():
        found = float64.of_torch(module, *arguments)
        names = ["only"] if len(found) == 1 else map(str, range(len(found)))
        arrays |= {f"{place}/{name}": each for name, each in zip(names, found, strict=True)}
    return arrays


def _run(
    loaded: torch.jit.ScriptModule, inputs: Mapping[str, tuple], report: dict
) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    for place in map(str, range(RUNS)):
        found = _call(loaded, inputs[place], report)
        again = _call(loaded, inputs[place], {"runs": []})
        report["random"] |= any(
            key not in again or not np.array_equal(value, again[key], equal_nan=True)
            for key, value in found.items()
        )
        arrays |= {f"{place}/{key}": value for key, value in found.items()}
    with torch.no_grad():
        for tensor in loaded.state_dict().values():
            if tensor.is_floating_point():
                tensor.mul_(CHANGED)
    return arrays | {
        f"weights/{key}": value for key, value in _call(loaded, inputs["0"], report).items()
    }


def _call(loaded: torch.jit.ScriptModule, arguments: tuple, report: dict) -> dict[str, np.ndarray]:
    """The outputs by position, `only` for one that is no tuple; empty after an error, which goes
    into the report.
    """
    try:
        with torch.no_grad():
            result = loaded(*(argument.clone() for argument in arguments))
        named = dict(enumerate(result)) if isinstance(result, (tuple, list)) else {"only": result}
        arrays = {
            str(key): np.ascontiguousarray(value.detach().numpy()) for key, value in named.items()
        }
    except Exception as error:
        report["runs"].append(reason(error))
        return {}
    report["runs"].append("")
    return arrays
