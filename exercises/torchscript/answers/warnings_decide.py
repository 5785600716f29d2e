"""Traces, and scripts the whole module where the trace warned."""

import copy
import warnings

import torch

EXPECTED = {"loses": ["steps", "parts"], "rung": "structure", "shows": "steps-of-the-example"}


def compile_module(module, example):
    module = copy.deepcopy(module).eval()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        traced = torch.jit.trace(module, example)
    warned = any(issubclass(warning.category, torch.jit.TracerWarning) for warning in caught)
    return torch.jit.script(module) if warned else traced
