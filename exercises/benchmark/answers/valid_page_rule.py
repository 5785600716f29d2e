"""Warms up by the rule that notebook 02 teaches: twice as many calls, until `measure.warm_up` finds a steady half."""

import numpy as np

from workbench.measure import warm_up

EXPECTED = {"score": 1.0, "rung": None}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("there is nothing to measure")
    left_out = {name: len(until_steady(call, clock)) for name, call in variants.items()}
    times = {name: [] for name in variants}
    for _ in range(rounds):
        for name, call in variants.items():
            times[name].append(seconds(call, clock))
    return {name: statistics(times[name]) | {"warmup": left_out[name]} for name in variants}


def until_steady(call, clock, calls=40):
    times = [seconds(call, clock) for _ in range(calls)]
    while warm_up(times) >= len(times) // 2:
        times += [seconds(call, clock) for _ in range(len(times))]
    return times


def seconds(call, clock):
    started = clock()
    call()
    return clock() - started


def statistics(times):
    p10, median, p90 = np.quantile(times, [0.1, 0.5, 0.9]).tolist()
    return {"median": median, "p10": p10, "p90": p90}
