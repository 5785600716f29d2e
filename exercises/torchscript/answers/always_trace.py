"""Traces every module."""

import copy

import torch

EXPECTED = {"score": 0.35, "rung": "structure", "message": "forward asks for a value of the input", "shows": "always-trace"}


def compile_module(module, example):
    return torch.jit.trace(copy.deepcopy(module).eval(), example)
