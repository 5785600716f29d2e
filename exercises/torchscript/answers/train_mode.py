"""Traces the module in the mode in which it comes, on a copy."""

import copy

import torch

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "another-function"}


def compile_module(module, example):
    return torch.jit.trace(copy.deepcopy(module), example, check_trace=False)
