"""Python's own timeit for each variant."""

import timeit

import numpy as np

EXPECTED = {
    "score": 0.05,
    "rung": "contract",
    "message": "The arguments are not checked before they are used, and a later line fails",
    "lazy": "library",
    "shows": "other-error",
}


def benchmark(variants, clock, rounds):
    result = {}
    for name, call in variants.items():
        times = np.array(timeit.repeat(call, repeat=rounds, number=1))
        p10, median, p90 = np.percentile(times, [10, 50, 90])
        result[name] = {"median": median, "p10": p10, "p90": p90, "warmup": 0}
    return result
