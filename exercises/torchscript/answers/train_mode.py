"""Traces the module in the mode in which it comes, on a copy."""

import copy

import torch

EXPECTED = {"score": 0.1, "rung": "contract", "message": "ran in training mode while it was compiled", "shows": "train-mode"}


def compile_module(module, example):
    return torch.jit.trace(copy.deepcopy(module), example, check_trace=False)
