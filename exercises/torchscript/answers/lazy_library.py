"""Traces the module as it came."""

import torch

EXPECTED = {
    "score": 0.1,
    "rung": "contract",
    "message": "The module was run in training mode, where every BatchNorm updates its running statistics",
    "lazy": "library",
    "shows": "runs-before-copying",
}


def compile_module(module, example):
    return torch.jit.trace(module, example)
