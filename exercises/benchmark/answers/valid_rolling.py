"""Looks at the last sixteen times after every call, in plain Python; percentiles by nearest rank."""

import math
from collections import deque

EXPECTED = {"rung": None}


def benchmark(variants, clock, rounds):
    if rounds <= 0 or len(variants) == 0:
        raise ValueError(f"{rounds} rounds of {len(variants)} variants")
    warmup = {}
    for name in variants:
        recent, calls = deque(maxlen=16), 0
        while len(recent) < 16 or middle(list(recent)[8:]) < 0.95 * middle(list(recent)[:8]):
            recent.append(timed(variants[name], clock))
            calls += 1
        warmup[name] = calls
    times = {name: [] for name in variants}
    order = list(variants)
    for _ in range(rounds):
        for name in order:
            times[name].append(timed(variants[name], clock))
        order.append(order.pop(0))
    result = {}
    for name, taken in times.items():
        taken.sort()
        p10, p90 = (taken[max(0, math.ceil(share * rounds) - 1)] for share in (0.1, 0.9))
        result[name] = {"p10": p10, "median": middle(taken), "p90": p90, "warmup": warmup[name], "times": taken}
    return result


def timed(call, clock):
    before = clock()
    call()
    after = clock()
    return after - before


def middle(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
