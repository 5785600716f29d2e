"""Traces a function that calls the module."""

import copy

import torch

EXPECTED = {"loses": "everything", "rung": "type", "shows": "raises-runtime-error"}


def compile_module(module, example):
    module = copy.deepcopy(module).eval()
    return torch.jit.trace(lambda *arguments: module(*arguments), example)
