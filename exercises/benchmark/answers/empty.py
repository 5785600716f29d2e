"""The untouched stub."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def benchmark(variants, clock, rounds):
    raise NotImplementedError()
