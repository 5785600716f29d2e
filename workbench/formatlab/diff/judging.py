"""How two models compare on inputs that both take: against float64, in float16 as their files say, and
where the second adds error.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import ModelProto

from formatlab import halves, numerics
from formatlab.diff import places
from formatlab.diff.words import count, plain
from formatlab.measure import randomness
from formatlab.measure.errors import first_line
from formatlab.measure.float64 import NoFloat64, of_onnx
from formatlab.measure.kinds import NUMBERS
from formatlab.measure.yardstick import ALLOWED, Verdict, judge
from formatlab.numerics import Feeds, Outputs
from formatlab.sqnr import sqnr

# The place of a difference is searched on so many of the inputs, for so many seconds of the processor.
WORST = 2
# Outputs of so many columns at most, and rows at least, are also judged column by column where some
# hold numbers that are so many times smaller.
COLUMNS = 64
ROWS = 64
MIXED = 100
SEARCHED = 45
Runs = list[Outputs]


class Stopped(Exception):
    """No comparison: the text says why."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """A model of the two, its outputs that the other has too, their inputs, and what it gives."""

    name: str
    model: ModelProto
    feeds: Sequence[Feeds]
    outputs: ModelProto
    runs: Runs


def judged(
    a: ModelProto,
    b: ModelProto,
    request: dict[str, Any],
    feeds: Sequence[Feeds],
    theirs: Sequence[Feeds],
) -> dict[str, Any]:
    """Return the verdict on the outputs, with what was measured for it. `request` says which names of
    A are which of B. Raises Stopped.
    """
    shown = [one for one, _ in request["outputs"]]
    first = _side("A", a, shown, feeds)
    second = _side("B", b, [other for _, other in request["outputs"]], theirs)
    if other := _of_another_structure(shown, first.runs, second.runs):
        return {"verdict": "other", **other, "runs": len(feeds)}
    first = dataclasses.replace(first, runs=flattened(first.runs))
    second = dataclasses.replace(second, runs=_alike(first.runs, flattened(second.runs)))
    known: dict[str, Any] = {
        "sqnr_db": _finite(_decibels(first.runs, second.runs)),
        "native_db": _native(first, second),
        "runs": len(feeds),
    }
    if random := _random(first):
        return {**known, **random, "sqnr_db": None, "native_db": None}
    known |= _random(second) or _against_float64(shown, first, second)
    if known["verdict"] in ("other", "undecided") and _decibels(first.runs, second.runs) < math.inf:
        known["where"] = _where(first, second, request)
    return known


def _side(name: str, model: ModelProto, outputs: Sequence[str], feeds: Sequence[Feeds]) -> Side:
    """Raises Stopped."""
    wide = with_outputs(model, outputs)
    runs = _outputs(name, halves.kept(wide), feeds)
    return Side(name=name, model=model, feeds=feeds, outputs=wide, runs=runs)


def _against_float64(shown: Sequence[str], first: Side, second: Side) -> dict[str, Any]:
    mine = first.runs
    found = second.runs
    try:
        exact = of_onnx(first.outputs, first.feeds)
    except Exception as reason:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        # The yardstick is the same from either end, so a B that float64 can run will do.
        try:
            exact = of_onnx(second.outputs, second.feeds)
        except Exception:  # nor have they one here  # noqa: BLE001
            return _without_yardstick(shown, mine, found, _why(reason))
        mine, found = found, mine
    truth = flattened(exact.runs)
    verdict = judge(found, mine, truth, shown)
    if verdict.same:
        column = _by_column(shown, found, mine, truth)
        verdict = verdict if column is None else column
    return {
        "verdict": "same" if verdict.same else _word(verdict),
        "text": verdict.text,
        "output": verdict.output,
        "units": _finite(verdict.units),
        "error": _finite(verdict.error),
        "yardstick": str(exact),
    }


def _by_column(shown: Sequence[str], found: Runs, mine: Runs, exact: Runs) -> Verdict | None:
    """The verdict on a column of an output whose numbers are far smaller than those beside them, such as
    scores beside boxes in pixels, if it is refused: the noise of the large ones is no unit for it.
    """
    for at, name in enumerate(shown):
        every = [run[at] for runs in (found, mine, exact) for run in runs]
        if not all(map(_has_columns, every)) or len({each.shape[-1] for each in every}) > 1:
            continue
        ours, theirs, truth = (
            np.concatenate([run[at].reshape(-1, run[at].shape[-1]) for run in runs])
            for runs in (found, mine, exact)
        )
        if len(truth) < ROWS or not np.isfinite(truth).all():
            continue
        scales = np.abs(truth).max(axis=0)
        for column in np.flatnonzero((scales > 0) & (scales * MIXED < scales.max())):
            verdict = judge(ours[:, column], theirs[:, column], truth[:, column])
            if not verdict.same and verdict.reason in ("value", "finite"):
                times = scales.max() / scales[column]
                text = (
                    f"other: {verdict.units:.3g} times float32's own error in column {column} of {name}, whose "
                    f"numbers are {times:.0f} times smaller than those beside them, {ALLOWED} allowed"
                )
                return dataclasses.replace(verdict, text=text, output=name)
    return None


def _has_columns(value: np.ndarray) -> bool:
    return value.ndim > 1 and value.dtype.kind == "f" and 2 <= value.shape[-1] <= COLUMNS


def _native(first: Side, second: Side) -> float | None:
    """The SQNR of the worst output as this processor computes it, in dB; None where nothing is
    float16. ONNX Runtime's CPU provider computes most float16 nodes in float32.
    """
    if not (halves.concerns(first.model) or halves.concerns(second.model)):
        return None
    mine = _outputs("A", first.outputs, first.feeds)
    return _finite(_decibels(mine, _alike(mine, _outputs("B", second.outputs, second.feeds))))


def _where(first: Side, second: Side, request: dict[str, Any]) -> dict[str, Any]:
    """Where B adds error, on the inputs for which the outputs are furthest apart."""
    apart = [
        _decibels([mine], [found]) for mine, found in zip(first.runs, second.runs, strict=True)
    ]
    runs = sorted(range(len(apart)), key=lambda run: apart[run])[:WORST]
    try:
        at = places.find(
            first.model,
            second.model,
            **{
                key: [tuple(each) for each in request[key]]
                for key in ("inputs", "outputs", "inner")
            },
            feeds=[first.feeds[run] for run in runs],
            theirs=[second.feeds[run] for run in runs],
            seconds=SEARCHED,
        )
    except Exception as problem:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        return {"problem": said(problem)}
    levels = [place.sqnr_db for place in at.all if math.isfinite(place.sqnr_db)]
    return {
        "problem": "" if at.is_complete else f"it takes more than {SEARCHED} seconds",
        "wrong": [
            {
                "a": place.a,
                "b": place.b,
                "units": _finite(place.units),
                "sqnr_db": _finite(place.sqnr_db),
                "like_db": _finite(at.like_db[place.b]),
                "kind": place.kind,
                "nodes": len(place.part_b.nodes),
            }
            for place in at.wrong
        ],
        "largest": dataclasses.asdict(at.largest) if at.largest else None,
        "infinite": dataclasses.asdict(at.infinite) if at.infinite else None,
        "kinds": sorted({place.kind for place in at.all}),
        "levels": [min(levels), max(levels)] if levels else [],
        "parts": len(at.all),
    }


def _random(side: Side) -> dict[str, Any] | None:
    """The verdict where this one draws random numbers; None where it does not."""
    nodes = randomness.drawing(side.model, side.feeds[:1])
    if not nodes:
        return None
    text = f"{side.name} draws random numbers, so that two runs of it on the same inputs differ ({randomness.named(nodes)})"
    if side.name == "A":
        return {"verdict": "undecided", "text": text}
    return {"verdict": "other", "text": f"{text}, and A does not"}


def _alike(mine: Runs, found: Runs) -> Runs:
    """Outputs of B as the types of A, where both are floats: that a type changed is told elsewhere."""
    return [
        [
            other.astype(one.dtype)
            if isinstance(other, np.ndarray) and one.dtype.kind == other.dtype.kind == "f"
            else other
            for one, other in zip(run, their, strict=True)
        ]
        for run, their in zip(mine, found, strict=True)
    ]


def _why(reason: Exception) -> str:
    if isinstance(reason, NoFloat64):
        return str(reason)
    return f"A cannot be run in float64 ({said(reason)})"


def said(problem: Exception) -> str:
    """ONNX Runtime's message without its numbers."""
    text = re.sub(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ", "", first_line(problem))
    return plain(text, 200).rstrip(". ")


def _word(verdict: Verdict) -> str:
    return "undecided" if verdict.reason in ("undecided", "empty") else "other"


def _without_yardstick(shown: Sequence[str], mine: Runs, found: Runs, why: str) -> dict[str, Any]:
    """Where float64 cannot judge: equal numbers are equal; another shape, NaN where A is finite, and
    an error of a tenth of the power are no rounding; others have a distance.
    """
    equal = True
    for run, their in zip(mine, found, strict=True):
        for name, one, other in zip(shown, run, their, strict=True):
            if one.shape != other.shape:
                text = f"other: shape {one.shape} expected in {name}, {other.shape} found"
                return {"verdict": "other", "text": text, "output": name}
            if one.dtype.kind == other.dtype.kind == "f" and np.isfinite(one).all():
                if not np.isfinite(other).all():
                    text = f"other: NaN or infinity in {name}, where A is finite"
                    return {"verdict": "other", "text": text, "output": name}
                if one.any() and sqnr(one, other) < NUMBERS.least:
                    text = (
                        f"other: the SQNR of {name} is below {NUMBERS.least:.0f} dB, so that more than a "
                        "tenth of its power is error, which no rounding to fewer bits should cost"
                    )
                    return {"verdict": "other", "text": text, "output": name}
            equal = (
                equal
                and one.dtype == other.dtype
                and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
            )
    return {"verdict": "equal" if equal else "undecided", "text": why}


def flattened(runs: Sequence[Sequence[Any]]) -> Runs:
    """Return the outputs with the numbers of each sequence or map in a row. Of two such runs only
    those of one structure can be compared.
    """
    return [[_row(value) for value in run] for run in runs]


def _row(value: Any) -> np.ndarray:
    if isinstance(value, np.ndarray):
        return value
    leaves = [np.asarray(each) for _, each in _leaves(value)]
    if not leaves:
        return np.zeros(0, np.float32)
    return np.concatenate([each.reshape(-1) for each in leaves])


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """The tensors of an output, each with its place."""
    if isinstance(value, list):
        for at, each in enumerate(value):
            yield from _leaves(each, f"{place}[{at}]")
    elif isinstance(value, dict):
        for key in sorted(value, key=repr):
            yield from _leaves(value[key], f"{place}[{key!r}]")
    elif isinstance(value, float):  # of a map: a float32, as far as ONNX goes
        yield place, np.float32(value)
    elif value is not None:
        yield place, value


def _of_another_structure(shown: Sequence[str], mine: Any, found: Any) -> dict[str, Any] | None:
    """What to say where a sequence or a map has other parts in B, None where none has."""
    for run, their in zip(mine, found, strict=True):
        for name, one, other in zip(shown, run, their, strict=True):
            if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
                continue
            before, after = (
                {place: np.asarray(each).shape for place, each in _leaves(value)}
                for value in (one, other)
            )
            if type(one) is not type(other) or before.keys() != after.keys():
                text = f"other: {_counted(before, one)} expected in {name}, {_counted(after, other)} found"
                return {"text": text, "output": name}
            for place, shape in before.items():
                if after[place] != shape:
                    text = f"other: shape {shape} expected in {name}{place}, {after[place]} found"
                    return {"text": text, "output": name}
    return None


def _counted(parts: dict[str, Any], value: Any) -> str:
    kinds = {
        list: "a sequence or map",
        dict: "a map",
        np.ndarray: "a tensor",
        type(None): "nothing",
    }
    kind = kinds.get(type(value), type(value).__name__)
    return (
        kind
        if isinstance(value, np.ndarray) or value is None
        else f"{kind} of {count(len(parts), 'part')}"
    )


def against_expected(
    model: ModelProto,
    shown: Sequence[str],
    feeds: Sequence[Feeds],
    runs: Sequence[Sequence[Any]],
    expected: Sequence[dict[str, np.ndarray]],
) -> dict[str, Any]:
    """Return whether a model gives what was expected of it, by the model's own float64 run: the
    verdict, a text, and the SQNR of the worst output. Outputs of which nothing was expected are left
    out.
    """
    names = [name for name in shown if all(name in each for each in expected)]
    places = [list(shown).index(name) for name in names]
    mine = flattened([[run[at] for at in places] for run in runs])
    wanted = _alike(mine, [[each[name] for name in names] for each in expected])
    decibels = _finite(_decibels(wanted, mine))
    try:
        exact = of_onnx(with_outputs(model, names), feeds)
    except Exception as reason:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        return {**_without_yardstick(names, wanted, mine, _why(reason)), "sqnr_db": decibels}
    verdict = judge(wanted, mine, flattened(exact.runs), names)
    return {
        "verdict": "same" if verdict.same else _word(verdict),
        "text": verdict.text,
        "sqnr_db": decibels,
    }


def _decibels(mine: Runs, found: Runs) -> float:
    """How far the worst output of B stands above its difference to A's."""
    worst = math.inf
    for run, their in zip(mine, found, strict=True):
        for one, other in zip(run, their, strict=True):
            if isinstance(one, np.ndarray) and one.dtype.kind == "f":
                with np.errstate(all="ignore"):
                    worst = min(worst, sqnr(one, other))
    return worst


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def with_outputs(model: ModelProto, outputs: Sequence[str]) -> ModelProto:
    """The model with these outputs alone, in this order."""
    wide = ModelProto()
    wide.CopyFrom(model)
    stated = {value.name: value for value in model.graph.output}
    del wide.graph.output[:]
    wide.graph.output.extend(stated[name] for name in outputs)
    return wide


def _outputs(side: str, model: ModelProto, feeds: Sequence[Feeds]) -> Runs:
    try:
        return [run for [run] in numerics.run(model.SerializeToString(), feeds)]
    except Exception as problem:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        raise Stopped(f"{side} does not run: {said(problem)}") from None
