"""The steps of notebook 02: the few lines that a benchmark is made of."""

from math import ceil

import numpy as np

from formatlab_exercises.steps import Slip, Step, Steps


def first_steady(times):
    limit = 1.5 * np.median(times[len(times) // 2 :])
    return next(i for i, time in enumerate(times) if time <= limit)


def of_all(times):
    return next(i for i, time in enumerate(times) if time <= 1.5 * np.median(times))


def last_slow(times):
    limit = 1.5 * np.median(times[len(times) // 2 :])
    return max((i + 1 for i, time in enumerate(times) if time > limit), default=0)


def schedule(names, rounds):
    return [
        name for number in range(rounds) for name in (names if number % 2 == 0 else names[::-1])
    ]


def paired(a, b):
    return float(np.median(np.array(b) / np.array(a)))


def p90(times):
    return sorted(times)[ceil(0.9 * len(times)) - 1]


def throughput(times, items):
    return items * len(times) / sum(times)


step = Steps(
    "lab-7-01/02-honest-benchmarks",
    steady=Step(
        "warm-up",
        first_steady,
        {
            "three slow": lambda: ([9.0, 5.0, 2.0, 1.0, 1.1, 1.0, 0.9, 1.0],),
            "one": lambda: ([30.0, 1.0, 1.2, 1.0],),
            "none": lambda: ([1.0, 1.1, 0.9, 1.0],),
            "a late outlier": lambda: ([4.0, 1.0, 1.0, 8.0, 1.0, 1.0],),
            "half slow": lambda: ([9.0, 9.0, 9.0, 2.0, 1.0, 1.0],),
            "at the limit": lambda: ([6.0, 3.0, 2.0, 2.0, 2.0, 2.0],),
        },
        (
            Slip(
                of_all,
                "The slow calls are among those that you take the median of. Take it over the second half.",
            ),
            Slip(
                lambda times: next(
                    i
                    for i, time in enumerate(times)
                    if time < 1.5 * np.median(times[len(times) // 2 :])
                ),
                "A call that takes 1.5 times the median is steady: at most that long.",
            ),
            Slip(
                last_slow, "A single slow call later on is no warm-up. Look for the first fast one."
            ),
        ),
    ),
    schedule=Step(
        "interleaving",
        schedule,
        {
            "two": lambda: (["a", "b"], 3),
            "three": lambda: (["a", "b", "c"], 2),
            "one round": lambda: (["a", "b"], 1),
        },
        (
            Slip(
                lambda names, rounds: [name for name in names for _ in range(rounds)],
                "One variant after the other: a slow spell falls on one alone.",
            ),
            Slip(
                lambda names, rounds: names * rounds,
                "The same variant runs first in every round. Turn every second round around.",
            ),
        ),
    ),
    paired=Step(
        "medians",
        paired,
        {
            "a slow spell": lambda: ([1.0, 1.0, 5.0, 1.0], [2.0, 2.0, 10.0, 2.0]),
            "one outlier": lambda: ([1.0, 2.0, 4.0], [1.5, 3.0, 40.0]),
            "drifting": lambda: ([1.0, 2.0, 3.0], [1.0, 1.0, 6.0]),
            "alike": lambda: ([2.0, 4.0], [2.0, 4.0]),
        },
        (
            Slip(
                lambda a, b: float(np.median(b) / np.median(a)),
                "Divide round by round first: what slowed a round slowed both.",
            ),
            Slip(
                lambda a, b: float(np.mean(np.array(b) / a)),
                "A mean follows one outlier wherever it goes.",
            ),
            Slip(
                lambda a, b: float(np.median(np.array(a) / b)), "The base is below: b divided by a."
            ),
        ),
    ),
    p90=Step(
        "medians",
        p90,
        {
            "ten": lambda: ([float(i) for i in range(10, 0, -1)],),
            "fifteen": lambda: ([float(i * i) for i in range(15)],),
            "one": lambda: ([3.0],),
        },
        (
            Slip(
                lambda times: sorted(times)[min(int(0.9 * len(times)), len(times) - 1)],
                "Places count from 0: of ten values the ninth is at place 8.",
            ),
            Slip(lambda times: times[ceil(0.9 * len(times)) - 1], "Sort first."),
            Slip(
                lambda times: float(np.quantile(times, 0.9)),
                "This lies between two values. Take one that was measured.",
            ),
        ),
    ),
    throughput=Step(
        "latency-and-throughput",
        throughput,
        {
            "even": lambda: ([0.5, 0.5], 8),
            "uneven": lambda: ([0.1, 0.9], 4),
            "one call": lambda: ([2.0], 64),
            "one slow call": lambda: ([0.1, 0.1, 1.0], 4),
        },
        (
            Slip(
                lambda times, items: float(np.mean([items / time for time in times])),
                "A mean of rates counts the fast calls too much. Divide the total by the total.",
            ),
            Slip(
                lambda times, items: float(items / np.median(times)),
                "A median leaves the slow calls out, and they took their time, too. Divide the total by the total.",
            ),
            Slip(lambda times, items: items / sum(times), "Each call has that many items."),
            Slip(lambda times, items: len(times) / sum(times), "These are calls per second."),
        ),
    ),
)
