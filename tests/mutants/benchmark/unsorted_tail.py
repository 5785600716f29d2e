"""Takes the median of the sorted times, and p10 and p90 from the list as it was measured, put in order."""

from statistics import median

EXPECTED = {"score": 0.3, "rung": "numerics", "message": "sort them, and check the share"}


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
    middle = median(times)
    below = [time for time in times if time <= middle]
    above = [time for time in times if time >= middle]
    return {"median": middle, "p10": below[len(below) // 10], "p90": above[-1 - len(above) // 10], "warmup": warmup}
