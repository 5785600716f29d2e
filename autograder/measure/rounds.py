"""Variants measured in turn, so that a slow spell of the machine falls on all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def interleaved(variants: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of `rounds` calls of each variant: every round gives each its turn, and begins with another one.

    A turn is two calls, and the second counts: the first finds the caches full of what the variant before it used.
    """
    taken: dict[str, list[float]] = {name: [] for name in variants}
    names = list(variants)
    for number in range(rounds):
        first = number % max(1, len(names))
        for name in names[first:] + names[:first]:
            variants[name]()
            started = time.perf_counter()
            variants[name]()
            taken[name].append(time.perf_counter() - started)
    return taken
