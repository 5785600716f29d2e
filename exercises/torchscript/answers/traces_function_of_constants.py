"""Traces a function of weights that it made constants."""

import copy

import torch

EXPECTED = {"score": 0, "rung": "type", "message": "A function was traced or scripted", "shows": "traces-function-of-constants"}


def compile_module(module, example):
    module = copy.deepcopy(module).eval().requires_grad_(False)
    return torch.jit.trace(lambda *arguments: module(*arguments), example)
