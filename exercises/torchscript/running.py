"""What the runner does with a student's `compile_module`: one module goes in, and the bytes of what
it returns come out.

Nothing here says how the result behaves: this runs beside student code, which could say anything.
The saved module itself crosses the wall; `judge/observing.py` loads it in a box without student
code, runs it there on inputs that never were in this box, and searches its graph.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import numpy as np
import torch
from safetensors.numpy import load

from formatlab_exercises.torchscript import building
from formatlab_exercises.torchscript.files import EXAMPLE, EXPECTED, LARGEST, MODULE, REPORT
from nbjudge.contract import Case, WrongType


def answer(compile_module: Callable, case: Case) -> dict[str, bytes]:
    """`module.pt`, as torch.jit.save writes it, and `report.json`: `kept` says what of the argument
    is as it was, `saved` why it failed.

    `kept` comes from the student's process, and could be forged there: with more effort than a copy
    of the module takes. Raises WrongType.
    """
    module, example = building.build(case), _example(case)
    before = _snapshot(module)
    result = compile_module(module, example)
    if not isinstance(result, torch.jit.ScriptModule):
        raise WrongType(EXPECTED, _kind(result, module))
    after = _snapshot(module)
    report = {"kept": {name: before[name] == after[name] for name in before}, "saved": ""}
    buffer = io.BytesIO()
    try:
        torch.jit.save(result, buffer)
    except Exception as error:
        return {REPORT: json.dumps({**report, "saved": reason(error)}).encode()}
    if buffer.tell() > LARGEST:
        raise WrongType(
            "a ScriptModule of about the module's size", f"one of {buffer.tell() >> 20} MB"
        )
    return {MODULE: buffer.getvalue(), REPORT: json.dumps(report).encode()}


def _example(case: Case) -> tuple[torch.Tensor, ...]:
    arrays = load(case.files[EXAMPLE])
    return tuple(torch.from_numpy(arrays[key]) for key in sorted(arrays))


def _array(tensor: torch.Tensor) -> np.ndarray:
    return np.ascontiguousarray(tensor.detach().numpy())


def _snapshot(module: torch.nn.Module) -> dict[str, object]:
    """What must not change, as values that can be compared."""
    parts = list(module.modules())
    return {
        "parts": [id(part) for part in parts],
        "mode": module.training,
        "modes": [part.training for part in parts],
        "weights": [
            (name, _array(tensor).tobytes()) for name, tensor in module.state_dict().items()
        ],
        "gradients": [parameter.requires_grad for parameter in module.parameters()],
        "hooks": [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in parts],
    }


def _kind(result: object, module: torch.nn.Module) -> str:
    """The type's name; all modules that Python runs are one kind, whatever their class is called."""
    if result is module:
        return "the module itself"
    name = type(result).__name__
    return (
        "an eager module"
        if isinstance(result, torch.nn.Module) and name not in ("OptimizedModule", "GraphModule")
        else name
    )


def reason(error: Exception, limit: int = 200) -> str:
    """What TorchScript says, without the source around it: the interpreter ends with the reason,
    the compiler begins with it.
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [
        type(error).__name__
    ]
    return lines[-1 if "TorchScript interpreter" in lines[0] else 0][:limit]
