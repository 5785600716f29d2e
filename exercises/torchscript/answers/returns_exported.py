"""Takes what torch recommends today."""

import copy

import torch

EXPECTED = {"score": 0, "rung": "type", "message": "the successor of TorchScript", "shows": "returns-exported"}


def compile_module(module, example):
    return torch.export.export(copy.deepcopy(module).eval(), example, strict=False)
