"""Traces every module, and puts a choice and a repetition beside it that decide nothing."""

import copy

import torch

EXPECTED = {"score": 0.35, "rung": "structure", "message": "on which no output depends", "shows": "idle-control"}


@torch.jit.script
def beside(x):
    count = 0
    for _ in range(x.shape[0]):
        if bool(x.sum() > 0):
            count += 1
    return x + 0 * count


def compile_module(module, example):
    copied = copy.deepcopy(module).eval()
    forward = copied.forward

    def traced(*arguments):
        result = forward(*arguments)
        return beside(result) if isinstance(result, torch.Tensor) else (beside(result[0]), *result[1:])

    copied.forward = traced
    return torch.jit.trace(copied, example)
