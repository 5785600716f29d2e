"""Two results files: which variants became slower, for a person and for CI."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from formatlab.measure.card import Card
from formatlab.measure.errors import CannotBench
from formatlab.measure.estimators import Interval, median_interval, three_digits
from formatlab.measure.results import Results
from formatlab.show.grid import Grid, grid


class Kind(StrEnum):
    faster = "faster"
    same = "not slower"
    slower = "slower"
    unclear = "cannot tell"


# Exit statuses. 2 is a command that was refused.
STATUS = {Kind.slower: 1, Kind.unclear: 3}


@dataclass(frozen=True)
class Change:
    """How many times the old seconds a variant takes now, with an interval, and what that means at
    a tolerance.
    """

    name: str
    value: float
    interval: Interval
    kind: Kind


def changes(
    old: Results, new: Results, tolerance: float = 0.05, any_machine: bool = False
) -> list[Change]:
    """One for each variant of the new results. Raises CannotBench where the two cannot be compared.

    `slower` needs a whole interval beyond `tolerance`, `not slower` one that stays within it. All
    intervals hold together with the level of the results (Bonferroni): a table of twenty variants
    that did not change fails no more often than one of two.
    """
    _require_comparable(old, new, any_machine)
    level = 1 - (1 - new.level) / len(new.names)
    return [_change(name, old, new, tolerance, level) for name in new.names]


def status(found: list[Change]) -> int:
    """For CI: 1 if a variant is slower, otherwise 3 if that cannot be told of one, otherwise 0."""
    return next(
        (STATUS[kind] for kind in STATUS if any(change.kind == kind for change in found)), 0
    )


def table(found: list[Change]) -> Grid:
    rows = [
        [each.name, f"{three_digits(each.value)} ({each.interval})", each.kind] for each in found
    ]
    return grid(["variant", "now ÷ before", ""], rows)


def _require_comparable(old: Results, new: Results, any_machine: bool) -> None:
    if missing := [name for name in new.names if name not in old.names]:
        raise CannotBench(
            f"the old results have no {missing[0]!r}; they have {', '.join(old.names)}: measure both with the same options"
        )
    items = any(old[each.name].items != each.items for each in new.variants)
    if old.threads != new.threads or items:
        raise CannotBench(
            "threads or batch differ between the two results: measure both with the same options"
        )
    if not any_machine and _machine(old) != _machine(new):
        cards = " | ".join(map(_described, (old.card, new.card)))
        raise CannotBench(
            f"two machines: {cards}. Such times say nothing of the model; --any-machine compares them"
        )


def _described(card: Card) -> str:
    return f"{card.cpu}, {card.cores} cores, {card.hardware}"


def _machine(results: Results) -> tuple:
    return results.card.cpu, results.card.cores, results.card.flags, results.card.gpus


def _change(name: str, old: Results, new: Results, tolerance: float, level: float) -> Change:
    value, interval = _ratio(old, new, name, level)
    if interval.low > 1 + tolerance:
        kind = Kind.slower
    elif interval.high > 1 + tolerance:
        kind = Kind.unclear
    else:
        kind = Kind.faster if interval.high < 1 else Kind.same
    return Change(name=name, value=value, interval=interval, kind=kind)


def _ratio(old: Results, new: Results, name: str, level: float) -> tuple[float, Interval]:
    """The two were not measured in turns, so there are no pairs."""
    before, now = (np.reshape(each[name].seconds, (each.processes, -1)) for each in (old, new))
    if len(before) > 1 and len(now) > 1:
        return _across(np.median(before, axis=1), np.median(now, axis=1), level)
    # Each interval misses its median in half of the allowed cases, so both hold together.
    each = (1 + level) / 2
    first = median_interval(before.ravel().tolist(), each)
    second = median_interval(now.ravel().tolist(), each)
    interval = Interval(
        second.low / first.high, second.high / first.low, max(first.level + second.level - 1, 0)
    )
    return float(np.median(now) / np.median(before)), interval


def _across(before: np.ndarray, now: np.ndarray, level: float) -> tuple[float, Interval]:
    """Welch's interval of the logarithms of the processes' medians."""
    from scipy.stats import ttest_ind

    before, now = np.log(before), np.log(now)
    middle = now.mean() - before.mean()
    if np.ptp(before) == np.ptp(now) == 0:
        return float(np.exp(middle)), Interval(float(np.exp(middle)), float(np.exp(middle)), level)
    low, high = ttest_ind(now, before, equal_var=False).confidence_interval(level)
    return float(np.exp(middle)), Interval(float(np.exp(low)), float(np.exp(high)), level)
