"""A Where for the branch, and the stub for the loop."""

import torch

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "where", "lazy": "library"}


class _Where(torch.nn.Module):
    def __init__(self, predicate, then, otherwise):
        super().__init__()
        self.parts = predicate, then, otherwise

    def forward(self, x):
        predicate, then, otherwise = self.parts
        return torch.where(predicate(x), then(x), otherwise(x))


def export_branch(predicate, then_branch, else_branch, example):
    module = _Where(predicate, then_branch, else_branch)
    return torch.onnx.export(module, (example,), verbose=False).model_proto


def export_loop(step, initial, sequence):
    raise NotImplementedError
