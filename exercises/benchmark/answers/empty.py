"""The untouched stub."""

EXPECTED = {"score": 0, "rung": "exists", "message": "the stub"}


def benchmark(variants, clock, rounds):
    raise NotImplementedError()
