"""Traces every module, and puts a choice and a repetition beside it that decide nothing."""

import copy

import torch

EXPECTED = {"loses": ["choice", "rows", "steps", "until", "refused", "changed", "parts"], "rung": "structure", "shows": "idle-control"}


@torch.jit.script
def beside(x):
    y, count = 100 * x, 0
    for _ in range(1):
        if bool(x.sum() < x.sum() + 1e9):
            y = x
    for _ in range(x.shape[0]):
        count += 1
    return y * (1 + 1e-9 * count)


def compile_module(module, example):
    copied = copy.deepcopy(module).eval()
    forward = copied.forward

    def traced(*arguments):
        result = forward(*arguments)
        return beside(result) if isinstance(result, torch.Tensor) else (beside(result[0]), *result[1:])

    copied.forward = traced
    return torch.jit.trace(copied, example)
