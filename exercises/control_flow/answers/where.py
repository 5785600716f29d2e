"""Computes both branches and picks one."""

import io
import warnings

import onnx
import torch

EXPECTED = {"score": 0.8, "rung": "structure", "message": "both branches are always computed", "shows": "where"}


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


def export_branch(predicate, then_fn, else_fn, example):
    def choose(x):
        return torch.where(predicate(x), then_fn(x), else_fn(x))

    return exported(Module(choose), (example,), input_names=["x"], output_names=["y"])


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
