"""Takes torch.compile for a compiler of files."""

import copy

import torch

EXPECTED = {"score": 0, "rung": "type", "message": "compiles itself in this process", "shows": "returns-compiled"}


def compile_module(module, example):
    return torch.compile(copy.deepcopy(module).eval())
