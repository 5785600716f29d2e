"""Takes torch.compile for a compiler of files."""

import copy

import torch

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-compiled"}


def compile_module(module, example):
    return torch.compile(copy.deepcopy(module).eval())
