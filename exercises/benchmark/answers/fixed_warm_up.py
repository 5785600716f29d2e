"""Leaves out a hundred calls of every variant."""

import numpy as np

EXPECTED = {"loses": ["warm"], "rung": "quality", "shows": "fixed-warm-up"}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
    times = {name: [turn(clock, call) for _ in range(100)] for name, call in variants.items()}
    for _ in range(rounds):
        for name, call in variants.items():
            times[name].append(turn(clock, call))
    return {name: summary(times[name][100:], 100) for name in variants}


def turn(clock, call):
    started = clock()
    call()
    return clock() - started


def summary(times, warmup):
    p10, middle, p90 = np.percentile(times, [10, 50, 90])
    return {"median": middle, "p10": p10, "p90": p90, "warmup": warmup}
