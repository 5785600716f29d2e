"""Scripts the whole module, and traces it silently where the compiler refuses."""

import copy

import torch

EXPECTED = {"loses": ["changed", "parts"], "rung": "numerics", "shows": "compiles-is-enough"}


def compile_module(module, example):
    module = copy.deepcopy(module).eval()
    try:
        return torch.jit.script(module)
    except Exception:
        return torch.jit.trace(module, example)
