"""Variants measured in turn, so that a slow spell of the machine falls on all of them."""

from __future__ import annotations

import gc
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from formatlab.measure.card import PACKAGES, Card
from formatlab.measure.estimators import CHANCE, warm_up
from formatlab.measure.results import Results
from formatlab.measure.variant import Variant

# A turn is at least this long.
TURN_SECONDS = 1e-3
# A variant is called untimed for so long before the rounds, its first calls counted in.
WARM_SECONDS = 0.1
# Filling the caches again takes milliseconds: a call that is much longer needs no untimed call
# before it.
SETTLED_SECONDS = 0.25
# A single value is at least so many times what reading the clock costs. Where a call is shorter, a
# value is the mean of several calls.
CLOCKS = 100


def compare(
    variants: Mapping[str, Callable[[], object]],
    rounds: int = 20,
    *,
    items: int | Mapping[str, int] = 1,
    notes: Mapping[str, Mapping[str, str]] | None = None,
    control: bool = True,
    seed: int | None = None,
    level: float = 0.95,
    threads: int | None = None,
    packages: Iterable[str] = PACKAGES,
    calls: int = 0,
    warm_seconds: float = WARM_SECONDS,
    watch: Callable[[int, int], None] = lambda _done, _expected: None,
) -> Results:
    """Time the variants in interleaved rounds, until `rounds` of them are left after the warm-up.

    1. Each variant is called untimed for `warm_seconds`. Its first call is its `first_seconds`.
    2. A round gives every variant one turn, in an order that is drawn anew. A turn times single
       calls, for a millisecond at least, and so many that all rounds have `calls` of them. A short
       variant runs once untimed before, because the variant that had the turn before has filled the
       caches with its own data. Python's garbage collector waits meanwhile.
    3. `estimators.warm_up` looks in each variant's rounds for what is unlike the rest. The longest
       cut is left out of all variants, so that the times of one round stay together. Never more
       than twice `rounds` are run.

    With `control` the first variant takes part twice (A/A). `items`: how many items a call handles.
    `notes`: what the results should say of a variant. `threads` is set in PyTorch where it is
    loaded, and held against the processor time that each variant took; a session of ONNX Runtime
    has its own number from when it was made. `seed` decides the order; without one it is drawn.
    `watch` is called after each round with the number of rounds done and expected. A variant has to
    be done when it returns: synchronise the device in it. Raises ValueError for no variants or
    fewer than 3 rounds, and whatever a variant raises.
    """
    if not variants or rounds < 3:
        raise ValueError("compare needs at least one variant and three rounds")
    before = _load_average()
    seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
    with _undisturbed(threads):
        shortest = CLOCKS * _clock_seconds()
        turns = [
            Turn.of(name, call, warm_seconds, shortest, calls / rounds)
            for name, call in variants.items()
        ]
        turns += [turns[0].again()] * control
        done, dropped = _rounds(turns, rounds, np.random.default_rng(seed), watch)

    def variant(turn: Turn) -> Variant:
        count = items if isinstance(items, int) else items.get(turn.name, 1)
        return turn.variant(dropped, count, (notes or {}).get(turn.name, {}))

    return Results(
        variants=tuple(variant(turn) for turn in turns[: len(variants)]),
        control=variant(turns[-1]) if control else None,
        card=Card.of_this_machine(packages),
        date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        warm_up=dropped,
        steady=dropped < done // 2,
        load_average=(before, _load_average()),
        threads=threads,
        seed=seed,
        level=level,
    )


@dataclass(kw_only=True)
class Turn:
    """A variant's turns: how it is called in one, and what was taken."""

    name: str
    call: Callable[[], object]
    first_seconds: float
    usual_seconds: float
    values: int  # in a turn
    batch: int  # calls behind a value
    taken: list[list[float]] = field(default_factory=list)
    clock: float = 0.0
    processor: float = 0.0

    @classmethod
    def of(
        cls,
        name: str,
        call: Callable[[], object],
        warm_seconds: float,
        shortest: float,
        values: float,
    ) -> Turn:
        """Warm it up, and find how many calls a turn needs."""
        first = _seconds(call)
        usual = math.inf
        spent = 0.0
        while not spent or first + spent < warm_seconds:
            spent += (last := _seconds(call))
            usual = min(usual, last)  # one slow call would leave the turns with too few
        batch = max(1, math.ceil(shortest / max(usual, 1e-9)))
        wanted = math.ceil(TURN_SECONDS / max(usual * batch, 1e-9))
        return cls(
            name=name,
            call=call,
            first_seconds=first,
            usual_seconds=usual,
            values=max(1, wanted, math.ceil(values)),
            batch=batch,
        )

    def again(self) -> Turn:
        """The same variant once more, with nothing taken yet."""
        return Turn(
            name=self.name,
            call=self.call,
            first_seconds=self.first_seconds,
            usual_seconds=self.usual_seconds,
            values=self.values,
            batch=self.batch,
        )

    def take(self) -> None:
        if self.usual_seconds < SETTLED_SECONDS:
            self.call()
        clock = time.perf_counter()
        processor = time.process_time()
        self.taken.append([_seconds(self.call, self.batch) for _ in range(self.values)])
        self.processor += time.process_time() - processor
        self.clock += time.perf_counter() - clock

    @property
    def means(self) -> list[float]:
        return [float(np.mean(turn)) for turn in self.taken]

    def variant(self, dropped: int, items: int, notes: Mapping[str, str]) -> Variant:
        kept = tuple(seconds for turn in self.taken[dropped:] for seconds in turn)
        cores = self.processor / self.clock if self.clock else None
        calls = self.values * self.batch
        return Variant(
            name=self.name,
            seconds=tuple(self.means[dropped:]),
            first_seconds=self.first_seconds,
            calls=calls,
            items=items,
            notes=dict(notes),
            single=kept,
            batch=self.batch,
            cores=cores,
        )


def _rounds(
    turns: list[Turn], rounds: int, order: np.random.Generator, watch: Callable[[int, int], None]
) -> tuple[int, int]:
    """Run them. Returns how many there were, and how many at the beginning do not count."""
    done = 0
    dropped = 0
    while done - dropped < rounds:  # `warm_up` is at most half of them, so this ends
        for place in order.permutation(len(turns)):
            turns[place].take()
        done += 1
        if done >= rounds:
            dropped = max(warm_up(turn.means, CHANCE / len(turns)) for turn in turns)
        watch(done, rounds + dropped)
    return done, dropped


@contextmanager
def _undisturbed(threads: int | None) -> Iterator[None]:
    """Without Python's garbage collector, and with that many threads in PyTorch."""
    torch = sys.modules.get("torch") if threads else None
    collecting = gc.isenabled()
    before = torch.get_num_threads() if torch else 0
    gc.collect()
    gc.disable()
    if torch:
        torch.set_num_threads(threads)
    try:
        yield
    finally:
        if torch:
            torch.set_num_threads(before)
        if collecting:
            gc.enable()


def interleaved(
    variants: Mapping[str, Callable[[], object]], rounds: int
) -> dict[str, list[float]]:
    """Seconds of `rounds` calls of each variant: every round gives each its turn, and begins with
    another one.

    A turn is two calls, and the second counts: the first finds the caches full of what the variant
    before it used.
    """
    taken: dict[str, list[float]] = {name: [] for name in variants}
    names = list(variants)
    for number in range(rounds):
        first = number % max(1, len(names))
        for name in names[first:] + names[:first]:
            variants[name]()
            taken[name].append(_seconds(variants[name]))
    return taken


def _seconds(call: Callable[[], object], calls: int = 1) -> float:
    """Mean seconds of a call, over `calls` of them."""
    started = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - started) / calls


def _clock_seconds() -> float:
    """What a value of a call costs that does nothing."""
    return float(np.median([_seconds(int) for _ in range(200)]))


def _load_average() -> float | None:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None
