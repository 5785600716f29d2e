"""Gives one number for each variant."""

from statistics import median

EXPECTED = {"loses": ["numbers", "warm", "frugal", "edges"], "rung": "contract", "shows": "numbers-only"}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
    for call in variants.values():
        warm_up(clock, call)
    times = {name: [] for name in variants}
    for _ in range(rounds):
        for name, call in variants.items():
            times[name].append(turn(clock, call))
    return {name: median(times[name]) for name in variants}


def turn(clock, call):
    started = clock()
    call()
    return clock() - started


def warm_up(clock, call):
    times = [turn(clock, call) for _ in range(20)]
    while median(times[-10:]) < 0.95 * median(times[-20:-10]):
        times += [turn(clock, call) for _ in range(10)]
    return len(times)
