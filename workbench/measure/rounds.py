"""Variants measured in turn, so that a slow spell of the machine falls on all of them."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

import numpy as np

from workbench.measure.card import PACKAGES, Card
from workbench.measure.estimators import warm_up
from workbench.measure.results import Results, Variant

# A turn is at least this long, many times what the clock and the loop cost.
TURN_SECONDS = 1e-3
# Filling the caches again takes milliseconds: a call that is much longer needs no untimed call before it.
SETTLED_SECONDS = 0.25
# A warm-up found where there is none costs a few more rounds, and in one run of twenty that is no loss.
CHANCE = 0.05


def compare(
    variants: Mapping[str, Callable[[], object]],
    rounds: int = 20,
    *,
    items: int | Mapping[str, int] = 1,
    notes: Mapping[str, Mapping[str, str]] | None = None,
    control: bool = True,
    seed: int = 0,
    level: float = 0.95,
    threads: int | None = None,
    packages: Iterable[str] = PACKAGES,
    watch: Callable[[int, int], None] = lambda done, expected: None,
) -> Results:
    """Time the variants in interleaved rounds, until `rounds` of them are left after the warm-up.

    1. Each variant is called once: that is its `first_seconds`, and says how many calls a turn needs to last a millisecond.
    2. A round gives every variant one turn, in an order that is drawn anew; a short variant runs once untimed before it is timed,
       because the variant before it has filled the caches with its own data.
    3. The warm-up is found in each variant's times by `estimators.warm_up`, at 5 % for all of them together. The longest one is left
       out of all variants, so that the times of one round stay together. Never more than twice `rounds` are run.

    With `control` the first variant takes part twice (A/A). `items`: how many items a call handles. `notes`: what the results should
    say of a variant. `watch` is called after each round with the number of rounds done and expected. A variant has to be done when it
    returns: synchronise the device in it. Raises ValueError for no variants or fewer than 3 rounds, and whatever a variant raises.
    """
    if not variants or rounds < 3:
        raise ValueError("compare needs at least one variant and three rounds")
    before = _load_average()
    calls = list(variants.items())
    first = {name: _seconds(call) for name, call in calls}
    usual = {name: _seconds(call) for name, call in calls}
    repeats = {name: max(1, math.ceil(TURN_SECONDS / max(usual[name], 1e-9))) for name in variants}
    turns = calls + calls[:1] * control
    taken: list[list[float]] = [[] for _ in turns]
    order, done, dropped = np.random.default_rng(seed), 0, 0
    while done - dropped < rounds:  # `warm_up` is at most half of them, so this ends
        for place in order.permutation(len(turns)):
            name, call = turns[place]
            if usual[name] < SETTLED_SECONDS:
                call()
            taken[place].append(_seconds(call, repeats[name]))
        done += 1
        if done >= rounds:
            dropped = max(warm_up(times, CHANCE / len(turns)) for times in taken)
        watch(done, rounds + dropped)

    def variant(place: int) -> Variant:
        name = turns[place][0]
        count = items if isinstance(items, int) else items.get(name, 1)
        return Variant(name, tuple(taken[place][dropped:]), first[name], repeats[name], count, dict((notes or {}).get(name, {})))

    return Results(
        variants=tuple(variant(place) for place in range(len(calls))),
        control=variant(len(calls)) if control else None,
        card=Card.of_this_machine(packages),
        date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        warm_up=dropped,
        steady=dropped < done // 2,
        load_average=(before, _load_average()),
        threads=threads,
        seed=seed,
        level=level,
    )


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


def _seconds(call: Callable[[], object], calls: int = 1) -> float:
    """Mean seconds of a call, over `calls` of them."""
    started = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - started) / calls


def _load_average() -> float | None:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None
