"""Reads the clock before and after a loop over all calls of a variant, and divides."""

from statistics import median

EXPECTED = {"loses": ["turns", "numbers", "edges"], "rung": "structure", "shows": "loop-total"}


def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
    result = {}
    for name, call in variants.items():
        warmup = warm_up(clock, call)
        started = clock()
        for _ in range(rounds):
            call()
        each = (clock() - started) / rounds
        result[name] = {"median": each, "p10": each, "p90": each, "warmup": warmup}
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
