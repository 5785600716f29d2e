"""Reads the clock once a round, and gives every variant its part."""

from statistics import median

import numpy as np

EXPECTED = {"score": 0.15, "rung": "structure", "message": "that of all of them together"}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
    warmup = {name: warm_up(clock, call) for name, call in variants.items()}
    times = []
    for _ in range(rounds):
        started = clock()
        for call in variants.values():
            call()
        times.append((clock() - started) / len(variants))
    return {name: summary(times, warmup[name]) for name in variants}


def turn(clock, call):
    started = clock()
    call()
    return clock() - started


def warm_up(clock, call):
    times = [turn(clock, call) for _ in range(20)]
    while median(times[-10:]) < 0.95 * median(times[-20:-10]):
        times += [turn(clock, call) for _ in range(10)]
    return len(times)


def summary(times, warmup):
    p10, middle, p90 = np.percentile(times, [10, 50, 90])
    return {"median": middle, "p10": p10, "p90": p90, "warmup": warmup}
