"""Scripts every module."""

import copy

import torch

EXPECTED = {"score": 0.5, "rung": "type", "message": "The compiler has to know before the run which attribute", "shows": "always-script"}


def compile_module(module, example):
    return torch.jit.script(copy.deepcopy(module).eval())
