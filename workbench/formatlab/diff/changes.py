"""One thing that changed, as a sentence and as fields, and several of one sort as one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from formatlab.diff.words import listed

# So many of one sort are told one by one.
FEW = 2


class Kind(StrEnum):
    """What sort of change it is. The values are those of the JSON report."""

    REMOVED = "removed"
    ADDED = "added"
    FUSED = "fused"
    SPLIT = "split"
    REPLACED = "replaced"
    FOLDED = "folded"
    MERGED = "merged"
    QUANTIZED = "quantized"
    REWIRED = "rewired"
    ATTRIBUTE = "attribute"
    VALUES = "values"
    RETYPED = "retyped"
    RESIZED = "resized"
    STORED = "stored"
    INTERFACE = "interface"
    INVALID = "invalid"
    OPSET = "opset"
    IR = "ir"
    METADATA = "metadata"
    # They change nothing: a report has them, and two models that differ in them alone are the same.
    NAMES = "names"
    ORDER = "order"
    ANNOTATIONS = "annotations"


# What matters most to somebody who runs the model comes first.
FIRST = (
    *(Kind.INVALID, Kind.INTERFACE, Kind.FUSED, Kind.SPLIT, Kind.QUANTIZED, Kind.REPLACED),
    *(Kind.REMOVED, Kind.ADDED, Kind.FOLDED, Kind.MERGED, Kind.REWIRED, Kind.ATTRIBUTE),
    *(Kind.RETYPED, Kind.RESIZED, Kind.VALUES, Kind.STORED, Kind.OPSET, Kind.IR, Kind.METADATA),
    *(Kind.NAMES, Kind.ORDER, Kind.ANNOTATIONS),
)
SILENT = frozenset({Kind.NAMES, Kind.ORDER, Kind.ANNOTATIONS})


@dataclass(frozen=True, kw_only=True)
class Change:
    """`where` is the subgraph or function, empty for the main graph. `a` and `b` name the nodes and
    values that are meant, `nodes_a` and `nodes_b` are places of nodes in the scope number `scope`.

    Changes with the same `sort` are told together: `many` is their sentence, with {count} and
    {names}, which are the changes' `name`. `members` are then the single sentences.
    """

    kind: Kind
    text: str
    where: str = ""
    a: tuple[str, ...] = ()
    b: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    scope: int = 0
    nodes_a: tuple[int, ...] = ()
    nodes_b: tuple[int, ...] = ()
    sort: Hashable = None
    many: str = ""
    name: str = ""
    members: tuple[Change, ...] = ()

    @property
    def is_silent(self) -> bool:
        return self.kind in SILENT

    @property
    def sentence(self) -> str:
        return f"In {self.where}: {self.text}" if self.where else self.text

    @property
    def singles(self) -> tuple[Change, ...]:
        return self.members or (self,)


def together(changes: Iterable[Change]) -> list[Change]:
    """Those of one sort as one, in the order of `FIRST`."""
    groups: dict[Hashable, list[Change]] = {}
    for number, change in enumerate(changes):
        key = (change.kind, change.sort) if change.sort is not None else number
        groups.setdefault(key, []).append(change)
    found = []
    for group in groups.values():
        if len(group) <= FEW or not group[0].many:
            found += group
            continue
        names = list(dict.fromkeys(each.name for each in group))
        text = group[0].many.format(count=len(group), names=listed(names))
        decibels = [each.details["sqnr_db"] for each in group if "sqnr_db" in each.details]
        if len(decibels) == len(group):
            text += f"; the worst has an SQNR of {min(decibels):.0f} dB"
        places = {each.where for each in group}
        found.append(
            replace(
                group[0],
                text=text,
                where=group[0].where if len(places) == 1 else "",
                a=tuple(name for each in group for name in each.a),
                b=tuple(name for each in group for name in each.b),
                nodes_a=(),
                nodes_b=(),
                details={},
                members=tuple(group),
            )
        )
    return sorted(found, key=lambda change: FIRST.index(change.kind))
