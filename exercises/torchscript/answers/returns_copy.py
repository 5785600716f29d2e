"""Returns a copy in evaluation mode."""

import copy

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-copy", "lazy": "argument"}


def compile_module(module, example):
    return copy.deepcopy(module).eval()
