"""Measures one variant after the other."""

from statistics import median

import numpy as np

EXPECTED = {"score": 0.4, "rung": "structure", "message": "all turns of one variant, then all turns of the next"}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
    result = {}
    for name, call in variants.items():
        warmup = warm_up(clock, call)
        result[name] = summary([turn(clock, call) for _ in range(rounds)], warmup)
    return result


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
