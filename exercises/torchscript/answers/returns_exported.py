"""Takes what torch recommends today."""

import copy

import torch

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-exported"}


def compile_module(module, example):
    return torch.export.export(copy.deepcopy(module).eval(), example, strict=False)
