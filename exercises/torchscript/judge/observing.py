"""What a saved ScriptModule does: loaded from its bytes, run on fresh inputs, its graph searched.

torch.jit.load reads an archive of pickled data and code in C++, and running what it holds is
running a program of the student's. So this is done in a box of its own, without student code and
without references: what breaks out of the interpreter finds no answers. Nothing that lived in the
Python object alone (a patched `forward`, a hook in Python) has come here.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping

import numpy as np
import torch
from safetensors.numpy import load, save

from autograder.contract import Answer, Case
from autograder.rungs import outcome
from exercises.torchscript.files import GRAPH, INPUTS, MODULE, OUTPUTS, REPORT, RUNS, STATE
from exercises.torchscript.running import reason

# What is looked for among the nodes of the graph: its printed text may hold these words in a string
# of the student's.
CONTROL = ("prim::If", "prim::Loop")
# By how much every weight is multiplied for the run with other weights.
CHANGED = 1.25


def observe(case: Case, answer: Answer) -> Answer:
    """The answer with outputs, state and graph in place of the module, and in `report.json` besides
    `kept` and `saved`:

    `runs` has an empty text or an error for each run, the one with changed weights included;
    `random` says whether two runs on one input differ.
    """
    given = outcome.report(answer, REPORT, saved=str)  # the rungs look at what else it says
    if answer.outcome != "returned" or given is None:
        return Answer(answer.outcome, {}, answer.error)
    report = {"kept": given.get("kept"), "saved": given.get("saved"), "runs": [], "random": False}
    files = {OUTPUTS: save({}), STATE: save({}), GRAPH: b""}
    if MODULE in answer.files:
        given_inputs = inputs(case)
        try:
            files |= _seen(answer.files[MODULE], given_inputs, report)
        except MemoryError:
            raise
        except Exception as error:  # a module can be anything that its student can save: without forward, with tensors without numbers
            report |= {"saved": reason(error), "runs": []}
    elif not report["saved"]:
        report["saved"] = "there is no saved module"
    return Answer(answer.outcome, {**files, REPORT: json.dumps(report).encode()}, answer.error)


def _seen(saved: bytes, given: Mapping[str, tuple], report: dict) -> dict[str, bytes]:
    loaded = torch.jit.load(io.BytesIO(saved), map_location="cpu")
    graph = "\n".join(kind for kind in CONTROL if loaded.inlined_graph.findAllNodes(kind)).encode()
    state = save(
        {
            name: np.ascontiguousarray(tensor.detach().numpy())
            for name, tensor in loaded.state_dict().items()
        }
    )
    return {GRAPH: graph, STATE: state, OUTPUTS: save(_run(loaded, given, report))}


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


def _run(
    loaded: torch.jit.ScriptModule, inputs: Mapping[str, tuple], report: dict
) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    for place in map(str, range(RUNS)):
        found = _call(loaded, inputs[place], report)
        again = _call(loaded, inputs[place], {"runs": []})
        report["random"] |= any(
            not np.array_equal(value, again.get(key), equal_nan=True)
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
