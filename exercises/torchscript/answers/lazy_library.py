"""Traces the module as it came."""

import torch

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "runs-before-copying", "lazy": "library"}


def compile_module(module, example):
    return torch.jit.trace(module, example)
