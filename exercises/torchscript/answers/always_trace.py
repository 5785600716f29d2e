"""Traces every module."""

import copy

import torch

EXPECTED = {"loses": ["choice", "rows", "steps", "until", "refused", "changed", "parts"], "rung": "structure", "shows": "always-trace"}


def compile_module(module, example):
    return torch.jit.trace(copy.deepcopy(module).eval(), example)
