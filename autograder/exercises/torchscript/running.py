"""What the runner does with a student's `compile_module`: one module in, and out come numbers, names and the printed graph.

The ScriptModule itself never leaves the runner. It is saved and loaded once, and what is reported is what the loaded copy does:
nothing that lives in the Python object alone (a patched `forward`, a hook in Python) survives that.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping

import numpy as np
import torch
from safetensors.numpy import load, save

from autograder.exercises.base import Case, WrongType
from autograder.exercises.torchscript import modules
from autograder.exercises.torchscript.ask import EXPECTED, GRAPH, INPUTS, OUTPUTS, REPORT, RUNS, STATE

GRAPH_CHARACTERS = 200_000
# By how much every weight is multiplied for the run with other weights.
CHANGED = 1.25


def answer(compile_module: Callable, case: Case) -> dict[str, bytes]:
    """Outputs on the case's inputs, state, graph and `report.json`:

    `kept` says what of the argument is as it was; `saved` is empty, or why torch.jit.save failed; `runs` has an empty text or an error
    for each run, the run with changed weights included; `random` says whether two runs on one input differ.
    Raises WrongType.
    """
    module, inputs = modules.build(case.parameters), _inputs(case)
    before = _snapshot(module)
    result = compile_module(module, inputs["example"])
    if not isinstance(result, torch.jit.ScriptModule):
        raise WrongType(EXPECTED, _kind(result, module))
    after = _snapshot(module)
    report = {"kept": {name: before[name] == after[name] for name in before}, "saved": "", "runs": [], "random": False}
    files = {OUTPUTS: save({}), STATE: save({}), GRAPH: b""}
    buffer = io.BytesIO()
    try:
        torch.jit.save(result, buffer)
    except Exception as error:
        report["saved"] = reason(error)
    else:
        buffer.seek(0)
        loaded = torch.jit.load(buffer)
        files[GRAPH] = str(loaded.inlined_graph)[:GRAPH_CHARACTERS].encode()
        files[STATE] = save({name: _array(tensor) for name, tensor in loaded.state_dict().items()})
        files[OUTPUTS] = save(_run(loaded, inputs, report))
    return {**files, REPORT: json.dumps(report).encode()}


def _inputs(case: Case) -> dict[str, tuple[torch.Tensor, ...]]:
    """The arguments of each call: `example`, and `0`, `1`, ..."""
    arrays = load(case.files[INPUTS])
    places = ("example", *map(str, range(RUNS)))
    return {place: tuple(torch.from_numpy(arrays[key]) for key in sorted(arrays) if key.startswith(f"{place}/")) for place in places}


def _run(loaded: torch.jit.ScriptModule, inputs: Mapping[str, tuple], report: dict) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    for place in map(str, range(RUNS)):
        found = _call(loaded, inputs[place], report)
        again = _call(loaded, inputs[place], {"runs": []})
        report["random"] |= any(not np.array_equal(value, again.get(key), equal_nan=True) for key, value in found.items())
        arrays |= {f"{place}/{key}": value for key, value in found.items()}
    with torch.no_grad():
        for tensor in loaded.state_dict().values():
            if tensor.is_floating_point():
                tensor.mul_(CHANGED)
    return arrays | {f"weights/{key}": value for key, value in _call(loaded, inputs["0"], report).items()}


def _call(loaded: torch.jit.ScriptModule, arguments: tuple, report: dict) -> dict[str, np.ndarray]:
    """The outputs by position, `only` for one that is no tuple; empty after an error, which goes into the report."""
    try:
        with torch.no_grad():
            result = loaded(*(argument.clone() for argument in arguments))
        named = dict(enumerate(result)) if isinstance(result, (tuple, list)) else {"only": result}
        arrays = {str(key): _array(value) for key, value in named.items()}
    except Exception as error:
        report["runs"].append(reason(error))
        return {}
    report["runs"].append("")
    return arrays


def _array(tensor: torch.Tensor) -> np.ndarray:
    return np.ascontiguousarray(tensor.detach().numpy())


def _snapshot(module: torch.nn.Module) -> dict[str, object]:
    """What must not change, as values that can be compared."""
    parts = list(module.modules())
    return {
        "parts": [id(part) for part in parts],
        "mode": module.training,
        "modes": [part.training for part in parts],
        "weights": [(name, _array(tensor).tobytes()) for name, tensor in module.state_dict().items()],
        "gradients": [parameter.requires_grad for parameter in module.parameters()],
        "hooks": [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in parts],
    }


def _kind(result: object, module: torch.nn.Module) -> str:
    """The type's name; all modules that Python runs are one kind, whatever their class is called."""
    if result is module:
        return "the module itself"
    name = type(result).__name__
    return "an eager module" if isinstance(result, torch.nn.Module) and name not in ("OptimizedModule", "GraphModule") else name


def reason(error: Exception, limit: int = 200) -> str:
    """What TorchScript says, without the source around it: the interpreter ends with the reason, the compiler begins with it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return lines[-1 if "TorchScript interpreter" in lines[0] else 0][:limit]
