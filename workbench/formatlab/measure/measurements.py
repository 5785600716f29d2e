"""The times of several variants, and what they say: ratios, intervals, doubts and a verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from formatlab.measure.card import Card
from formatlab.measure.estimators import (
    Interval,
    autocorrelation,
    interval_across,
    median_interval,
    three_digits,
)
from formatlab.measure.variant import Variant

# A run that cannot tell apart less than this share is not to be trusted.
QUIET = 0.05
# So far may CPU time exceed what the threads that were asked for could use: the interpreter has
# threads of its own.
SPARE_CORES = 0.25
# A variant that had a core for a smaller share of its time was kept waiting.
BUSY = 0.9
# Levels of intervals are sums of binomial chances.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Ratio:
    """How many times the first variant's seconds, with an interval.

    In one process: the median over the rounds of the two times of one round. Of several processes:
    the geometric mean of their medians.
    """

    value: float
    interval: Interval

    @property
    def resolved(self) -> bool:
        """Whether the interval leaves out 1."""
        return 1 not in self.interval

    def __str__(self) -> str:
        return f"{three_digits(self.value)} ({self.interval})"


UNSTEADY = "No steady part was found: the machine or a variant still changed when half of the rounds were over."


@dataclass(frozen=True, kw_only=True)
class Measurements:
    """What was measured, without the ways to show and to store it, which `Results` adds.

    `variants`: the first is the one that the others are compared with. `control`: the first variant
    measured a second time, as if it were another. `warm_up`: rounds left out at the beginning.
    `steady`: whether the rest looked steady. `load_average`: before and after the run, None where
    the system has none. `threads`: how many were asked for. `processes`: how many there were, each
    with as many rounds. `missing`: rows that could not be had, {name: reason}. `profiles`:
    {variant: rows of a profile by operator}. `streams`: rows of what several callers at a time got.
    """

    variants: tuple[Variant, ...]
    card: Card
    date: str
    warm_up: int
    steady: bool
    load_average: tuple[float | None, float | None]
    threads: int | None = None
    control: Variant | None = None
    seed: int = 0
    level: float = 0.95
    name: str = ""
    command: str = ""
    missing: dict[str, str] = field(default_factory=dict)
    processes: int = 1
    profiles: dict[str, list] = field(default_factory=dict)
    streams: list = field(default_factory=list)

    def __getitem__(self, name: str) -> Variant:
        """Raises KeyError for a name that was not measured."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        raise KeyError(f"no variant {name!r} here; there are {', '.join(self.names)}")

    @property
    def names(self) -> list[str]:
        return [variant.name for variant in self.variants]

    @property
    def machine_load(self) -> str:
        """Before and after the run: `0.6 and 0.7`."""
        known = [f"{each:.2g}" for each in self.load_average if each is not None]
        return " and ".join(known) or "not known"

    @property
    def rounds(self) -> int:
        """Rounds that count, in each process."""
        return len(self.variants[0].seconds) // self.processes

    def interval(self, name: str) -> Interval:
        """Of the median of the rounds' means, in seconds."""
        return self._centre(self[name].seconds).interval

    def ratio(self, name: str) -> Ratio:
        """To the first variant: below 1 is faster."""
        return self._ratio(self[name])

    @cached_property
    def ratios(self) -> dict[str, Ratio]:
        return {name: self.ratio(name) for name in self.names}

    @property
    def control_ratio(self) -> Ratio | None:
        """A/A: the first variant to itself."""
        return self._ratio(self.control) if self.control else None

    @property
    def resolution(self) -> float | None:
        """The share below which this run tells nothing apart: the A/A interval's reach from 1."""
        if not self.control_ratio:
            return None
        low, high, _ = self.control_ratio.interval
        return max(high, 1 / low) - 1

    def told_apart(self, name: str) -> bool:
        """Whether a variant differs from the first one by more than chance and by more than the
        run's resolution.

        Its interval has `level_of_each`, so that many rows that are all the same raise no more
        false alarms than one. Rounds that are too few for an interval of `level` tell nothing
        apart.
        """
        ratio = self._centre(self._pairs(self[name]), self.level_of_each)
        if ratio.interval.level < self.level - ROUNDING:
            return False
        return ratio.resolved and max(ratio.value, 1 / ratio.value) - 1 > (self.resolution or 0)

    @property
    def level_of_each(self) -> float:
        """Of the intervals that call a row faster or slower: they all hold together with
        probability `level` at least (Bonferroni).
        """
        return 1 - (1 - self.level) / max(len(self.variants) - 1, 1)

    def dependence(self, name: str) -> float:
        """Lag-1 autocorrelation of the ratios of successive rounds, the mean over the processes."""
        return float(
            np.mean(
                [
                    autocorrelation(each)
                    for each in np.log(self._by_process(self._pairs(self[name])))
                ]
            )
        )

    def scatter(self, name: str) -> tuple[float, float]:
        """The standard deviations of a ratio's logarithm, between processes and between rounds."""
        logs = np.log(self._by_process(self._pairs(self[name])))
        between = float(np.median(logs, axis=1).std(ddof=1)) if self.processes > 1 else 0.0
        return between, float(logs.std(axis=1, ddof=1).mean())

    @property
    def sound(self) -> bool:
        """Whether there is no doubt about the whole run."""
        return not self.doubts

    @property
    def doubts(self) -> list[str]:
        """Why this run should not be trusted, each in a sentence."""
        found = [] if self.steady else [UNSTEADY]
        if self.resolution is not None and self.resolution > QUIET:
            share = three_digits(100 * self.resolution)
            found.append(
                f"This run cannot tell apart less than {share} %: the first variant beside itself differs so much."
            )
        return found + self._busy()

    def _busy(self) -> list[str]:
        """Variants that kept more cores at work than they were asked to."""
        asked = "one thread was" if self.threads == 1 else f"{self.threads} threads were"
        most = (self.threads or math.inf) + SPARE_CORES
        busy = [
            variant
            for variant in self.variants
            if variant.on_the_cpu and (variant.cores or 0) > most
        ]
        return [
            f"{each.name} kept {each.cores:.2g} cores at work, and {asked} asked for."
            for each in busy
        ]

    def evidence(self, name: str) -> str:
        """The ratio to the first variant with its interval, where this run is evidence for one;
        else `not recorded, because …`.

        The run has to be sound, and both variants must have had their processor for nine tenths of
        their time: who was kept waiting was not measured alone.
        """
        if self.doubts:
            return f"not recorded, because {_uncapitalized(self.doubts[0])}"
        for each in (self.variants[0], self[name]):
            if each.on_the_cpu and each.cores is not None and each.cores < BUSY:
                return (
                    f"not recorded, because {each.name} had the processor for {each.cores:.0%} of its time "
                    f"(load average {self.machine_load})"
                )
        return str(self.ratio(name)) if name != self.names[0] else "1"

    @property
    def verdict(self) -> str:
        """In words: whether the run can be trusted, then each variant against the first."""
        lines = self.doubts
        for variant in self.variants[1:]:
            ratio = self.ratio(variant.name)
            first = self.names[0]
            kind = (
                ("slower" if ratio.value > 1 else "faster")
                if self.told_apart(variant.name)
                else "not told apart"
            )
            lines.append(f"{variant.name} takes {ratio} times as long as {first}: {kind}.")
        return " ".join(lines) or f"{self.names[0]} alone: nothing to compare."

    def against(self, name: str) -> Self:
        """The same measurements, compared with another variant. Raises KeyError."""
        first = self[name]
        others = tuple(variant for variant in self.variants if variant is not first)
        return replace(
            self,
            variants=(first, *others),
            control=self.control if self.control and self.control.name == name else None,
        )

    def _pairs(self, variant: Variant) -> np.ndarray:
        return np.divide(variant.seconds, self.variants[0].seconds)

    def _by_process(self, values: np.ndarray) -> np.ndarray:
        return np.reshape(values, (self.processes, -1))

    def _ratio(self, variant: Variant) -> Ratio:
        return self._centre(self._pairs(variant))

    def _centre(self, values, level: float | None = None) -> Ratio:
        level = self.level if level is None else level
        if self.processes == 1:
            return Ratio(float(np.median(values)), median_interval(values, level))
        medians = np.median(self._by_process(values), axis=1)
        return Ratio(float(np.exp(np.log(medians).mean())), interval_across(medians, level))


def _uncapitalized(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:].rstrip(".")
