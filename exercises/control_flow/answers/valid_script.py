"""Traces the pieces, and compiles the choice and the loop with TorchScript."""

import io
import warnings

import onnx
import torch

EXPECTED = {"rung": None}


def exported(function, arguments, **options):
    """The TorchScript-based exporter: old, and quick."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(function, arguments, buffer, dynamo=False, opset_version=18, **options)
    return onnx.load_from_string(buffer.getvalue())


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


class Choice(torch.nn.Module):
    def __init__(self, *functions):
        super().__init__()
        self.predicate, self.then_fn, self.else_fn = functions

    def forward(self, x):
        return self.then_fn(x) if bool(self.predicate(x)) else self.else_fn(x)


def export_branch(predicate, then_fn, else_fn, example):
    traced = [torch.jit.trace(function, (example,)) for function in (predicate, then_fn, else_fn)]
    return exported(torch.jit.script(Choice(*traced)), (example,), input_names=["x"], output_names=["y"])


class Repeat(torch.nn.Module):
    def __init__(self, step):
        super().__init__()
        self.step = step

    def forward(self, state, sequence):
        for i in range(sequence.size(0)):
            state = self.step(state, sequence[i])
        return state


def export_loop(step, initial, sequence):
    traced = torch.jit.trace(step, (initial, sequence[0]))
    names = {"input_names": ["state", "sequence"], "output_names": ["result"]}
    scripted = torch.jit.script(Repeat(traced))
    return exported(scripted, (initial, sequence), dynamic_axes={"sequence": {0: "steps"}}, **names)
