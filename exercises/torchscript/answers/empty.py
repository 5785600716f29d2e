"""The untouched stub."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def compile_module(module, example):
    raise NotImplementedError()
