"""Takes one reading for the clock itself."""

import numpy as np

EXPECTED = {"loses": ["turns", "numbers", "warm", "frugal", "edges"], "rung": "structure", "shows": "clock-once"}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
    now = clock()
    times = {name: [] for name in variants}
    for _ in range(rounds):
        for name, call in variants.items():
            started = now
            call()
            times[name].append(now - started)
    return {name: summary(times[name], 0) for name in variants}


def summary(times, warmup):
    p10, middle, p90 = np.percentile(times, [10, 50, 90])
    return {"median": middle, "p10": p10, "p90": p90, "warmup": warmup}
