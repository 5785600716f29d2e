"""What is the cause? Repairs are tried on the part that adds the error, and one that brings it down to
rounding proves its cause. Everything else is called likely, or is not told.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property

import numpy as np
from onnx import ModelProto, NodeProto

from formatlab.diff.parts import Whole
from formatlab.diff.places import LIKE_DB, MOVES, Place, Search, decibels, decides, has_units
from formatlab.diff.words import joined, plain, quoted
from formatlab.measure.yardstick import ALLOWED
from formatlab.why import formulas, reduced, runs
from formatlab.why.repairs import Region, Repair, candidates, constants

# A repair that brings less than this is not part of a cause.
SHARE_DB = 6.0
TOGETHER = 4
MOST_TOGETHER = 60
# How many values a part is made longer by.
LONGER = 3
# How many pairs of values inside a part are tried.
SHORTER = 40


@dataclass(frozen=True, kw_only=True)
class Cause:
    """`kind` as the report has it, empty where it cannot be told; `node` the first output of B's node.
    `units` and `sqnr_db` are (before, after) of what is added there.
    """

    kind: str
    proved: bool
    sentence: str
    node: str
    units: tuple[float, float] = (math.nan, math.nan)
    sqnr_db: tuple[float, float] = (math.nan, math.nan)
    repairs: tuple[Repair, ...] = ()
    place: Place | None = None


@dataclass(eq=False)
class Trials:
    """Repairs of the places of one search. `left` tells whether time is left."""

    search: Search
    _: KW_ONLY
    twins: Mapping[str, str]
    wide: Sequence[Mapping[str, np.ndarray]]
    left: Callable[[], bool] = lambda: True

    def of(self, place: Place) -> list[Cause]:
        """Return the causes at a place: one, or those that have a share each. Where none is proved, the
        value that ends it may be no pair in truth, so the part is made longer, a value at a time, as
        long as what reads it is wrong as well.
        """
        search = self.search
        found = self.here(place)
        kept = (dict(search.cut), dict(search.places))
        longer = place
        for _ in range(LONGER):
            if any(cause.proved for cause in found) or not self.left():
                break
            after = self._longer(longer)
            if after is None:
                break
            longer = after
            there = self.here(longer)
            if any(cause.proved for cause in there):
                return [replace(cause, place=longer) for cause in there]
        search.cut = dict(kept[0])
        search.places = dict(kept[1])
        if not any(cause.proved for cause in found) and (shorter := self._shorter(place)):
            return shorter
        search.cut, search.places = kept
        return found

    def _shorter(self, place: Place) -> list[Cause]:
        """Causes in the beginning of a part, if the rest of it is sound from some value on that A has too,
        although no node says so.
        """
        search = self.search
        inner_b = [name for node in place.part_b.nodes for name in node.output if name != place.b]
        inner_a = [name for node in place.part_a.nodes for name in node.output if name != place.a]
        tries = itertools.product(reversed(inner_b), reversed(inner_a))
        for name, other in itertools.islice(tries, SHORTER):
            if not self.left():
                break
            if name not in search.types_b or other not in search.values_a[0] or name in search.cut:
                continue
            kept = (dict(search.cut), dict(search.places))
            search.cut[name] = other
            rest = search.measure(place.b)
            first = search.measure(name) if self.is_sound(rest) else None
            if first is not None and search.is_wrong(first):
                found = self.here(first)
                if any(cause.proved for cause in found):
                    return [replace(cause, place=first) for cause in found]
            search.cut, search.places = kept
        return []

    @cached_property
    def _constants(self) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        return constants(self.search.a), constants(self.search.b)

    def _longer(self, place: Place) -> Place | None:
        """Return the part that reads this one, together with it, if just one does and is wrong."""
        search = self.search
        readers = [name for name, other in search.places.items() if place.b in other.part_b.inputs]
        if place.b in search.fixed or not readers:
            return None
        del search.cut[place.b]
        search.places.pop(place.b, None)
        again = [search.measure(name) for name in readers]
        wrong = [each for each in again if search.is_wrong(each)]
        return wrong[0] if len(wrong) == 1 else None

    def _region(self, place: Place) -> Region:
        return Region(
            place,
            self.search.a,
            self.search.b,
            twins=self.twins,
            cut={**self.search.inputs, **self.search.cut},
            constants_a=self._constants[0],
            constants_b=self._constants[1],
        )

    def here(self, place: Place) -> list[Cause]:
        """Return the causes in just this part."""
        region = self._region(place)
        if place.kind == "float16" and (found := self._half(region)):
            return [found]
        options = []
        if place.kind == "int8":
            options += list(reduced.range_causes(region, self.search.given_b(place.part_b)))
        tried = []
        others = []
        for repair in [*options, *candidates(region)]:
            if not self.left():
                break
            after = self.after(place, [repair])
            if after is None:
                continue
            if self.is_sound(after) and (not repair.reads or self._heals_outputs(repair)):
                return [self._proved(place, repair, after)]
            if after.sqnr_db > place.sqnr_db + SHARE_DB:
                tried.append((after.sqnr_db, repair))
            elif not repair.is_structural:
                others.append(repair)
        if together := self._together(place, tried, others):
            return together
        if place.kind == "float" and (named := self._formula(place)):
            return [named]
        return [self._likely(region, tried)]

    def misfits(self) -> list[Place]:
        """Return parts in 8 bits that pass for rounding although their integers do not stand for A's
        weights, or are read by another scale or zero point than they were written by, as far as the
        repair brings them what two bits are worth.
        """
        found = []
        for place in self.search.places.values():
            if place.kind != "int8" or place.problem or place.lossy or not self.left():
                continue
            region = self._region(place)
            beside: dict[str, bool] = {}
            for weight in reduced.integers(region):
                beside[weight.name] = beside.get(weight.name, False) or weight.fits
            repairs = list(reduced.unequal_pairs(region))
            if not all(beside.values()):
                given = self.search.given_b(place.part_b)
                causes = reduced.range_causes(region, given)
                repairs += [repair for repair in causes if not beside.get(repair.node, True)]
            for repair in repairs:
                after = self.after(place, [repair])
                if after is not None and after.sqnr_db >= place.sqnr_db + SHARE_DB:
                    found.append(place)
                    break
        return found

    def after(self, place: Place, repairs: list[Repair]) -> Place | None:
        """Return the place with these repairs, None where that does not run."""
        part = place.part_b
        written = {name for node in part.nodes for name in node.output}
        more = {name for repair in repairs for name in repair.reads} - written
        part = replace(part, inputs=sorted({*part.inputs, *more}))
        model = self.search.model_of(part)
        try:
            for repair in repairs:
                repair.edit(model)
        except Exception:  # a repair of a graph that it does not fit  # noqa: BLE001
            return None
        new = copy(place)
        self.search.score(new, model, self.search.given_b(part))
        return None if new.problem else new

    def _heals_outputs(self, repair: Repair) -> bool:
        """Does it bring the outputs of the whole model nearer to A's? A value that a part is given is A's,
        so a part that reads another one could be handed what it should compute.
        """
        search = self.search
        wanted = [[each[one] for one, _ in search.ends] for each in search.values_a]
        new = ModelProto.FromString(search.b.proto.SerializeToString())
        levels = []
        for edit in (None, repair.edit):
            if edit is not None:
                edit(new)
            try:
                found = runs.run(
                    runs.with_outputs(new, [other for _, other in search.ends]), search.feeds_b
                )
            except Exception:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
                return False
            levels.append(min(decibels(*pair) for pair in zip(wanted, found, strict=True)))
        return levels[1] > levels[0]

    def is_sound(self, place: Place) -> bool:
        if place.kind == "float" and place.verdict is not None:
            return not decides(place.verdict) and place.verdict.same
        if place.verdict is not None and place.wanted[0].dtype.kind not in "fc":
            return place.verdict.same
        if place.kind == "float":
            return place.sqnr_db > 120
        return place.sqnr_db > self.search.expected_db(place) - LIKE_DB

    def _together(
        self, place: Place, tried: list[tuple[float, Repair]], others: list[Repair]
    ) -> list[Cause]:
        """Several causes at one place: the best first, and each has to bring its share. What brought
        nothing by itself may bring it behind a larger one.
        """
        chosen: list[Repair] = []
        now = place
        best_first = sorted(tried, key=lambda each: -each[0])
        ranked = [repair for _, repair in best_first if not repair.is_structural]
        while ranked and len(chosen) < TOGETHER and self.left():
            best = None
            for repair in [*ranked, *others[: 4 * MOST_TOGETHER]][:MOST_TOGETHER]:
                after = None if repair in chosen else self.after(place, [*chosen, repair])
                if after is None or after.sqnr_db < now.sqnr_db + SHARE_DB:
                    continue
                if best is None or after.sqnr_db > best[0].sqnr_db:
                    best = (after, repair)
                if self.is_sound(after):
                    break
            if best is None:
                return []
            now = best[0]
            chosen.append(best[1])
            if self.is_sound(now):
                return [self._proved(place, repair, now) for repair in chosen]
        return []

    def _proved(self, place: Place, repair: Repair, after: Place) -> Cause:
        change = (
            f"from {_units(place.units)} to {_units(after.units)} units"
            if place.kind == "float" and has_units(place)
            else f"from {place.sqnr_db:.0f} dB to {after.sqnr_db:.0f} dB"
        )
        done = repair.done or "with that repaired"
        what = "the error added there goes" if "units" in change else "what this part gives goes"
        return Cause(
            kind=repair.kind,
            proved=True,
            sentence=f"{repair.text[:1].upper()}{repair.text[1:]}: {done}, {what} {change}",
            node=repair.node,
            units=(place.units, after.units),
            sqnr_db=(place.sqnr_db, after.sqnr_db),
            repairs=(repair,),
        )

    def _half(self, region: Region) -> Cause | None:
        """Float16 that cannot hold a number: proved by an island in float32."""
        for repair, end in reduced.half_causes(region, self.wide):
            if not end:
                return Cause(
                    kind=repair.kind,
                    proved=True,
                    sentence=repair.text[:1].upper() + repair.text[1:],
                    node=repair.node,
                )
            after = self._with_island(repair, end)
            proved = after > self.search.expected_db(region.place) - 2 * LIKE_DB
            tried = (
                f"{repair.done}, `{plain(end)}` goes from {self._level(end):.0f} dB to {after:.0f} dB"
                if proved
                else "a repair was tried and did not heal it"
            )
            return Cause(
                kind=repair.kind,
                proved=proved,
                sentence=f"{repair.text[:1].upper()}{repair.text[1:]}: {tried}",
                node=repair.node,
                sqnr_db=(region.place.sqnr_db, after),
                repairs=(repair,) if proved else (),
            )
        return None

    def _reference(self, end: str) -> list[np.ndarray]:
        mine = self.search.cut.get(end)
        source = self.search.values_a if mine is not None else self.wide
        return [each[mine if mine is not None else end] for each in source]

    def _level(self, end: str) -> float:
        return self._run_to(end, None)

    def _with_island(self, repair: Repair, end: str) -> float:
        return self._run_to(end, repair)

    def _run_to(self, end: str, repair: Repair | None) -> float:
        """The SQNR of a value that B computes from its inputs, with a repair."""
        new = ModelProto.FromString(self.search.b.proto.SerializeToString())
        try:
            if repair is not None:
                repair.edit(new)
            found = runs.run(runs.with_outputs(new, [end]), self.search.feeds_b)
        except Exception:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
            return -math.inf
        wanted = self._reference(end)
        return decibels(wanted, [run[0].astype(np.float32) for run in found])

    def _formula(self, place: Place) -> Cause | None:
        if len(place.part_b.inputs) != 1:
            return None
        [name] = place.part_b.inputs
        given = [each[name] for each in self.search.given_b(place.part_b)]
        both = formulas.name_both(place, given)
        if both is None:
            return None
        mine, theirs = both
        return Cause(
            kind="operator",
            proved=True,
            sentence=f"A computes {mine} there and B {theirs}: in float64 each formula gives its side's numbers "
            f"to {ALLOWED} units, and not the other's",
            node=rarest(place.part_b.nodes, place.part_a.nodes),
            units=(place.units, math.nan),
            sqnr_db=(place.sqnr_db, math.nan),
        )

    def _likely(self, region: Region, tried: list[tuple[float, Repair]]) -> Cause:
        place = region.place
        if tried:
            level, repair = max(tried, key=lambda each: each[0])
            return Cause(
                kind=repair.kind,
                proved=False,
                sentence=f"Likely: {repair.text}; {repair.done or 'repaired'}, what this part gives goes "
                f"from {place.sqnr_db:.0f} dB to {level:.0f} dB, which is not all of it",
                node=repair.node,
                sqnr_db=(place.sqnr_db, level),
            )
        node = rarest(place.part_b.nodes, place.part_a.nodes)
        ops_a = Counter(each.op_type for each in place.part_a.nodes)
        ops_b = Counter(each.op_type for each in place.part_b.nodes)
        if ops_a != ops_b:
            only = [name for name in ops_b if ops_b[name] != ops_a.get(name, 0)][:4]
            shown = joined([quoted(name) for name in only]) if only else "fewer nodes"
            return Cause(
                kind="operator",
                proved=False,
                sentence=f"Likely the operators: this part of B has {shown}, and A's has others. No repair that was tried heals it",
                node=node,
            )
        return Cause(
            kind="",
            proved=False,
            sentence="The cause cannot be told: no repair that was tried heals this part",
            node=node,
        )


def _units(value: float) -> str:
    return f"{value:.2g}" if math.isfinite(value) else "NaN or infinity in"


def rarest(nodes: list[NodeProto], others: list[NodeProto]) -> str:
    """Return the first output of the node by which the part is known: one whose operator the other
    side lacks, else one that computes, the last.
    """
    there = {node.op_type for node in others}
    formula = {"Tanh", "Erf", "Sigmoid", "Exp", "Log", "Softmax", "Sqrt", "Pow", "Clip"}
    new = [node for node in nodes if node.op_type not in there]
    for choice in (
        [node for node in new if node.op_type in formula],
        [node for node in new if node.op_type not in MOVES],
        [node for node in nodes if node.op_type not in MOVES],
        new,
        nodes,
    ):
        if choice:
            return next(filter(None, choice[-1].output), "")
    return ""


def whole_after(model: Whole, causes: list[Cause]) -> ModelProto:
    """Return B with the repairs of all causes."""
    new = ModelProto.FromString(model.proto.SerializeToString())
    for cause in causes:
        for repair in cause.repairs:
            repair.edit(new)
    return new
