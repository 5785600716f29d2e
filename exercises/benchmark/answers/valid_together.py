"""Warms all variants up in rounds until none gets faster; one reading ends a turn and begins the next; order drawn."""

import math
import random
from statistics import median_low, quantiles

EXPECTED = {"rung": None}


def benchmark(variants, clock, rounds):
    if rounds < 1:
        raise ValueError("at least one round")
    if not variants:
        raise ValueError("at least one variant")
    rng, names = random.Random(7), list(variants)
    best, since, warmup = dict.fromkeys(names, math.inf), dict.fromkeys(names, 0), 0
    while min(since.values()) < 20:
        for name, took in one_round(variants, names, clock).items():
            since[name] = 0 if took < 0.97 * best[name] else since[name] + 1
            best[name] = min(best[name], took)
        warmup += 1
    measured = []
    for _ in range(rounds):
        rng.shuffle(names)
        measured.append(one_round(variants, names, clock))
    return {name: statistics_of([taken[name] for taken in measured], warmup) for name in variants}


def one_round(variants, names, clock):
    taken, before = {}, clock()
    for name in names:
        variants[name]()
        after = clock()
        taken[name], before = after - before, after
    return taken


def statistics_of(times, warmup):
    tenths = quantiles(times, n=10, method="inclusive") if len(times) > 1 else times * 9
    return {"median": median_low(times), "p10": tenths[0], "p90": tenths[-1], "warmup": warmup}
