"""A warm-up that compares ten calls with the ten before: the answer that most of the wrong ones spoil."""

from statistics import median

import numpy as np

EXPECTED = {"rung": None}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
    warmup = {name: warm_up(clock, call) for name, call in variants.items()}
    times = {name: [] for name in variants}
    for _ in range(rounds):
        for name, call in variants.items():
            times[name].append(turn(clock, call))
    return {name: summary(times[name], warmup[name]) for name in variants}


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
