"""Returns a copy in evaluation mode."""

import copy

EXPECTED = {"lazy": "argument", "score": 0, "rung": "type", "message": "a module that Python runs", "shows": "returns-copy"}


def compile_module(module, example):
    return copy.deepcopy(module).eval()
