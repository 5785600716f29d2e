"""What an exercise's points are given for.

An exercise's points are a list of items. An item is earned if each of its hidden cases passes the
rungs that it needs, and the mark is the sum of the items that are earned. So a student can add a
mark up, and a case that fails costs the items that hold it, and no other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from nbjudge.contract.cases import Case

if TYPE_CHECKING:
    from nbjudge.contract.rungs import RungSpec


@dataclass(frozen=True, kw_only=True)
class ItemSpec:
    """One thing that an exercise gives points for. `title` is what a person would call it, as in "a
    Dropout inside a branch"; reports and stored answers know it by its `name`.

    `cases` are names of cases, public and hidden ones, or patterns of names (`mask*`). The hidden
    ones decide; the public ones are what a check before handing in can show of it. `needs` are the
    rungs that each of these cases has to pass: all that are no property, unless some are named.
    Gates are needed in any case.

    `controls` are cases of other items that have to be right, too: those of the same look for which
    doing nothing, refusing, or always the same word is wrong. A case gives points once, and may be
    the control of several items.
    """

    name: str
    title: str
    points: float
    cases: tuple[str, ...]
    needs: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()

    def gives_for(self, case: str) -> bool:
        """Whether the case is one of its own."""
        return _is_named(case, self.cases)

    def holds(self, case: str) -> bool:
        """Whether the case has to be right: one of its own, or a control."""
        return _is_named(case, (*self.cases, *self.controls))

    def needed(self, rungs: Iterable[RungSpec]) -> list[RungSpec]:
        """Those of the rungs that its cases have to pass."""
        return [rung for rung in rungs if self.asks(rung)]

    def asks(self, rung: RungSpec) -> bool:
        if rung.gate:
            return True
        return rung.name in self.needs if self.needs else not (rung.is_property or rung.forbidden)


def malformed(items: Sequence[ItemSpec], points: float, rungs: Sequence[RungSpec]) -> str:
    """What is wrong with a list of items by itself; empty where nothing is."""
    called = Counter(item.name for item in items)
    titled = Counter(item.title for item in items)
    names = {rung.name for rung in rungs}
    for item in items:
        if called[item.name] > 1 or titled[item.title] > 1:
            return f"two items are called {item.name!r} ({item.title!r})"
        if item.points <= 0:
            return f"the item {item.name!r} gives {item.points!r} points"
        if odd := [name for name in item.needs if name not in names]:
            return f"the item {item.name!r} needs {odd[0]!r}, and there is no such rung"
    total = math.fsum(item.points for item in items)
    if not items:
        return "it has no items, and so gives no points"
    if abs(total - points) > 1e-6:
        return f"its items give {total:g} points together, and the judge says points = {points:g}"
    if idle := [rung.name for rung in rungs if not _is_asked(rung, items)]:
        return f"no item needs the rung {idle[0]!r}: name it in an item's `needs`, or delete it"
    return ""


def _is_asked(rung: RungSpec, items: Sequence[ItemSpec]) -> bool:
    return rung.forbidden or any(item.asks(rung) for item in items)


def misplaced(items: Sequence[ItemSpec], public: Sequence[Case], hidden: Sequence[Case]) -> str:
    """What is wrong with how items and cases fit together; empty where nothing is."""
    names = [case.name for case in hidden]
    held = {item.name: [name for name in names if item.gives_for(name)] for item in items}
    seen: dict[tuple[str, tuple[str, ...]], str] = {}
    for item in items:
        everything = [*names, *(case.name for case in public)]
        named = (*item.cases, *item.controls)
        if idle := [one for one in named if not any(_is_named(case, [one]) for case in everything)]:
            return f"the item {item.name!r} names the case {idle[0]!r}, and there is none"
        if not held[item.name]:
            return f"the item {item.name!r} names no hidden case, so that nothing decides it"
        for name in held[item.name]:
            other = seen.setdefault((name, item.needs), item.name)
            if other != item.name:
                return f"the items {other!r} and {item.name!r} both give points for the case {name!r} and the same rungs"
    for case in (*hidden, *public):
        if not any(item.gives_for(case.name) for item in items):
            kind = "public" if case.public else "hidden"
            return f"no item holds the {kind} case {case.name!r}"
    return ""


def _is_named(case: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(case, pattern) for pattern in patterns)
