"""Scripts every module."""

import copy

import torch

EXPECTED = {"loses": ["choice", "rows", "refused", "changed", "parts"], "rung": "type", "shows": "raises-runtime-error"}


def compile_module(module, example):
    return torch.jit.script(copy.deepcopy(module).eval())
