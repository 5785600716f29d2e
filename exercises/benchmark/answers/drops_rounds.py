"""Throws the first rounds away as warm-up."""

import numpy as np

EXPECTED = {"loses": ["told", "warm", "frugal", "refusals", "edges"], "rung": "contract: the count", "shows": "drops-rounds"}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
    times = {name: [] for name in variants}
    for _ in range(rounds):
        for name, call in variants.items():
            times[name].append(turn(clock, call))
    return {name: summary(times[name][rounds // 5 :], rounds // 5) for name in variants}


def turn(clock, call):
    started = clock()
    call()
    return clock() - started


def summary(times, warmup):
    p10, middle, p90 = np.percentile(times, [10, 50, 90])
    return {"median": middle, "p10": p10, "p90": p90, "warmup": warmup}
