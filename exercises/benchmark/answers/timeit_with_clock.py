"""Python's own timeit for each variant, with the machine's clock."""

import timeit

import numpy as np

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "block-sequential", "lazy": "library"}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
    result = {}
    for name, call in variants.items():
        times = np.array(timeit.repeat(call, timer=clock, repeat=rounds, number=1))
        p10, median, p90 = np.percentile(times, [10, 50, 90])
        result[name] = {"median": median, "p10": p10, "p90": p90, "warmup": 0}
    return result
