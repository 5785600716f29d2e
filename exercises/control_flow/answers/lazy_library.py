"""The plain Python code, exported with the exporter's defaults."""

import torch

EXPECTED = {"loses": "everything", "rung": "type", "shows": "raises-in-python-if", "lazy": "library"}


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def export_branch(predicate, then_fn, else_fn, example):
    choice = Module(lambda x: then_fn(x) if predicate(x) else else_fn(x))
    return torch.onnx.export(choice, (example,), verbose=False).model_proto


def export_loop(step, initial, sequence):
    def repeat(state, elements):
        for element in elements:
            state = step(state, element)
        return state

    return torch.onnx.export(Module(repeat), (initial, sequence), verbose=False).model_proto
