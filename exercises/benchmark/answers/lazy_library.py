"""Python's own timeit for each variant."""

import timeit

import numpy as np

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "perf-counter", "lazy": "library"}


def benchmark(variants, clock, rounds):
    result = {}
    for name, call in variants.items():
        times = np.array(timeit.repeat(call, repeat=rounds, number=1))
        p10, median, p90 = np.percentile(times, [10, 50, 90])
        result[name] = {"median": median, "p10": p10, "p90": p90, "warmup": 0}
    return result
