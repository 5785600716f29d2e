"""Takes a variant for warm as soon as a call is no faster than the one before."""

import numpy as np

EXPECTED = {"score": 0.75, "rung": "quality", "message": "The warm-up ended too early"}


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
    times = [turn(clock, call), turn(clock, call)]
    while times[-1] < 0.98 * times[-2]:
        times.append(turn(clock, call))
    return len(times)


def summary(times, warmup):
    p10, middle, p90 = np.percentile(times, [10, 50, 90])
    return {"median": middle, "p10": p10, "p90": p90, "warmup": warmup}
