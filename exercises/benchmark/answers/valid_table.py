"""Compares thirds of all calls so far, keeps the turns in a table, and subtracts what reading the clock takes."""

import numpy as np

EXPECTED = {"rung": None}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
    readings = [clock() for _ in range(21)]
    reading = np.median(np.diff(readings))

    def turn(call):
        started = clock()
        call()
        return clock() - started - reading

    warmup = {}
    for name, call in variants.items():
        times = []
        while len(times) < 30 or falls(times):
            times += [turn(call) for _ in range(15)]
        warmup[name] = np.int64(len(times))
    table = np.array([[turn(call) for call in variants.values()] for _ in range(rounds)])
    low, middle, high = np.percentile(table, [10, 50, 90], axis=0, method="weibull")
    return {name: {"median": middle[at], "p10": low[at], "p90": high[at], "warmup": warmup[name]} for at, name in enumerate(variants)}


def falls(times):
    """Whether the last third of the times is faster than the one before."""
    _, middle, last = np.array_split(times, 3)
    return np.median(last) < 0.95 * np.median(middle)
