"""Returns what the default exporter returns."""

import torch

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-program"}


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


def export_branch(predicate, then_fn, else_fn, example):
    def choose(x):
        return torch.cond(predicate(x), then_fn, else_fn, (x,))

    return torch.onnx.export(Module(choose), (example,), verbose=False, input_names=["x"], output_names=["y"])


def export_loop(step, initial, sequence):
    raise TypeError("not tried")
