"""Several callers at a time on one session: what each waits, and what all of them get.

Every caller calls again as soon as it has its answer (a closed loop). Requests that arrive on their
own would queue, and wait longer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from formatlab.measure.estimators import median_interval

BURST_SECONDS = 0.2
BURSTS = 7


def measure(
    calls: Mapping[str, Callable[[], object]],
    counts: Sequence[int],
    items: int = 1,
    seconds: float = BURST_SECONDS,
    bursts: int = BURSTS,
) -> list[dict]:
    """One row for each call and number of callers, from `bursts` bursts in drawn order. A call runs
    in several threads at once.
    """
    pairs = [(name, count) for name in calls for count in dict.fromkeys(counts)]
    latencies: dict[tuple, list[float]] = {pair: [] for pair in pairs}
    rates: dict[tuple, list[float]] = {pair: [] for pair in pairs}
    order = np.random.default_rng()
    for _ in range(bursts):
        for place in order.permutation(len(pairs)):
            name, count = pairs[place]
            taken, elapsed = burst(calls[name], count, seconds)
            latencies[name, count] += taken
            rates[name, count].append(items * len(taken) / elapsed)
    return [_row(*pair, latencies[pair], rates[pair]) for pair in pairs]


def burst(call: Callable[[], object], callers: int, seconds: float) -> tuple[list[float], float]:
    """The seconds of every call that was begun in a burst, and the seconds from the first call's
    start until the last answer.
    """
    ready = threading.Barrier(callers)

    def caller(_: int) -> list[tuple[float, float]]:
        ready.wait()
        calls: list[tuple[float, float]] = []
        end = time.perf_counter() + seconds
        while not calls or time.perf_counter() < end:
            started = time.perf_counter()
            call()
            calls.append((started, time.perf_counter()))
        return calls

    with ThreadPoolExecutor(callers) as pool:
        calls = [each for several in pool.map(caller, range(callers)) for each in several]
    starts, ends = zip(*calls, strict=True)
    return [end - start for start, end in calls], max(ends) - min(starts)


def _row(name: str, callers: int, taken: list[float], rates: list[float]) -> dict:
    quantiles = {f"p{share}": float(np.quantile(taken, share / 100)) for share in (50, 90, 99)}
    low, high, level = median_interval(rates)
    rate = {"items_per_second": float(np.median(rates)), "interval": [low, high], "level": level}
    return {"variant": name, "callers": callers, **quantiles, "n": len(taken), **rate}
