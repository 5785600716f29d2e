"""Traces a function that calls the module."""

import copy

import torch

EXPECTED = {"score": 0, "rung": "type", "message": "uses the module's weights without owning them", "shows": "traces-function"}


def compile_module(module, example):
    module = copy.deepcopy(module).eval()
    return torch.jit.trace(lambda *arguments: module(*arguments), example)
