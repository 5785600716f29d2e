"""Begins with the rounds."""

import numpy as np

EXPECTED = {"loses": ["warm", "frugal"], "rung": "quality", "shows": "no-warm-up"}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
    warmup = {name: 0 for name in variants}
    times = {name: [] for name in variants}
    for _ in range(rounds):
        for name, call in variants.items():
            times[name].append(turn(clock, call))
    return {name: summary(times[name], warmup[name]) for name in variants}


def turn(clock, call):
    started = clock()
    call()
    return clock() - started


def summary(times, warmup):
    p10, middle, p90 = np.percentile(times, [10, 50, 90])
    return {"median": middle, "p10": p10, "p90": p90, "warmup": warmup}
