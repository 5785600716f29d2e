"""Takes percentiles from the times in the order in which they were measured."""

from statistics import median

EXPECTED = {"score": 0.3, "rung": "contract", "message": "just some turn's time"}


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
    at = len(times) // 10
    return {"median": times[len(times) // 2], "p10": times[at], "p90": times[-1 - at], "warmup": warmup}
