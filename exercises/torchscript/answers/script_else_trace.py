"""Scripts the whole module, and traces it silently where the compiler refuses."""

import copy

import torch

EXPECTED = {
    "score": 0.35,
    "rung": "structure",
    "message": "one part chooses, and another is refused",
    "shows": "always-trace",
}


def compile_module(module, example):
    module = copy.deepcopy(module).eval()
    try:
        return torch.jit.script(module)
    except Exception:
        return torch.jit.trace(module, example)
