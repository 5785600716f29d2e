"""Traces a function of weights that it made constants."""

import copy

import torch

EXPECTED = {"loses": "everything", "rung": "type", "shows": "traces-function-of-constants"}


def compile_module(module, example):
    module = copy.deepcopy(module).eval().requires_grad_(False)
    return torch.jit.trace(lambda *arguments: module(*arguments), example)
