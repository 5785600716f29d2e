"""What became of a weight's numbers, in words: rounded, transposed, scaled, in another order, or so
many per cent different.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import TensorProto

from formatlab.diff.changes import Kind
from formatlab.diff.weights import Weight, common_parts, same_bytes
from formatlab.diff.words import number, plain, quoted

# Weights of so few numbers are told whole.
SHOWN = 8
# Beyond it, rearrangements are not looked for.
LARGEST = 1 << 24
ROUNDING = 1e-6


@dataclass(frozen=True, kw_only=True)
class WeightChange:
    """How a weight changed. `text` follows the weight's name in a sentence, and weights of one `sort`
    are counted together; `details` are the numbers behind it, as JSON has them.
    """

    kind: Kind
    text: str
    sort: str
    details: dict[str, Any] = field(default_factory=dict)


def compare(a: Weight, b: Weight) -> WeightChange | None:
    """The change from `a` to `b`; None if the numbers are equal."""
    if a.equals(b):
        return None
    if a.dims != b.dims:
        return _resized(a, b)
    if a.dtype != b.dtype:
        return _retyped(a, b)
    return _other_numbers(a, b)


def described(weight: Weight) -> str:
    return f"{weight.type_name}{plain(str(list(weight.dims)), 80)}"


def shown(weight: Weight) -> str:
    """The numbers of a small weight."""
    values = weight.array()
    if values.dtype == object or values.dtype.kind in "biu":
        cells = values.tolist()
    else:
        cells = values.astype(np.float64).tolist()
    return _nested(cells)


def _nested(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_nested, value))}]"
    if isinstance(value, bytes):
        return quoted(value.decode("utf-8", "replace"))
    return number(value)


def _resized(a: Weight, b: Weight) -> WeightChange:
    sizes = f"was {described(a)} and is {described(b)}"
    small = max(a.size, b.size) <= LARGEST and a.dtype == b.dtype
    how = ""
    if small and a.size == b.size:
        one = a.array()
        other = b.array()
        if a.dims == b.dims[::-1] and len(a.dims) == 2 and _same(one.T, other):
            how = ": it is transposed"
        elif _same(one.reshape(-1), other.reshape(-1)):
            how = ": the same numbers in another shape"
    elif small and len(a.dims) == len(b.dims):
        common = tuple(slice(min(sizes)) for sizes in zip(a.dims, b.dims, strict=True))
        if _same(a.array()[common], b.array()[common]):
            how = ": the part that both have is the same"
    elif small and a.size <= SHOWN >= b.size:
        how = f": {shown(a)} became {shown(b)}"
    return WeightChange(
        kind=Kind.RESIZED,
        text=f"{sizes}{how}",
        sort=f"resized{how}",
        details={"from": list(a.dims), "to": list(b.dims), "transposed": "transposed" in how},
    )


def _retyped(a: Weight, b: Weight) -> WeightChange:
    details: dict[str, Any] = {"from": a.type_name, "to": b.type_name}
    if min(a.size, b.size) == 0 or TensorProto.STRING in (a.dtype, b.dtype):
        text = f"is {b.type_name} and was {a.type_name}"
        return WeightChange(kind=Kind.RETYPED, text=text, sort=text, details=details)
    if _is_float(a) and not _is_float(b) and a.size > SHOWN:
        text = f"was {a.type_name} and is {b.type_name}: it was quantized"
        sort = f"quantized {a.type_name} {b.type_name}"
        return WeightChange(kind=Kind.QUANTIZED, text=text, sort=sort, details=details)
    if a.size <= SHOWN and not _is_rounded(a, b):
        text = f"was {a.type_name} {shown(a)} and is {b.type_name} {shown(b)}"
        return WeightChange(kind=Kind.RETYPED, text=text, sort=text, details=details)
    apart = _distance(a, b)
    details["relative_difference"] = None if math.isnan(apart.relative) else apart.relative
    if not apart.largest:
        how = ", with the same numbers"
    elif _is_rounded(a, b):
        how = ", rounded to the nearest"
    elif apart.new_infinite:
        how = f", and {apart.new_infinite} of its numbers became infinite or NaN"
        details["became_infinite"] = apart.new_infinite
    else:
        how = f", and {share(apart.relative)} different"
    sort = "rounded" if "rounded" in how or "same" in how else how
    text = f"is {b.type_name} and was {a.type_name}{how}"
    return WeightChange(
        kind=Kind.RETYPED, text=text, sort=f"{a.type_name} {b.type_name} {sort}", details=details
    )


def _is_float(weight: Weight) -> bool:
    return "FLOAT" in weight.type_name or weight.type_name == "DOUBLE"


def _is_rounded(a: Weight, b: Weight) -> bool:
    """Did only the type change its numbers?"""
    for one, other in common_parts(a, b):
        with np.errstate(all="ignore"):
            if not _same(one.astype(other.dtype), other):
                return False
    return True


def _other_numbers(a: Weight, b: Weight) -> WeightChange:
    if a.size <= SHOWN:
        text = f"was {shown(a)} and is {shown(b)}"
        if len(a.dims) == 1 and a.size > 1 and sorted(_bits(a)) == sorted(_bits(b)):
            text += ", the same numbers in another order"
        details = {"from": shown(a), "to": shown(b)}
        return WeightChange(kind=Kind.VALUES, text=text, sort=text, details=details)
    if a.dtype == TensorProto.STRING:
        return WeightChange(kind=Kind.VALUES, text="holds other texts", sort="texts")
    if a.size <= LARGEST and (how := _rearranged(a.array(), b.array())):
        return WeightChange(kind=Kind.VALUES, text=how, sort=how, details={"rearranged": True})
    return _different(a, b)


def _bits(weight: Weight) -> list[str]:
    return [repr(each) for each in weight.array().tolist()]


def _rearranged(one: np.ndarray, other: np.ndarray) -> str:
    if one.ndim == 2 and one.shape[0] == one.shape[1] and _same(one.T, other):
        return "is transposed"
    for axis in range(one.ndim):
        rows, others = (
            [row.tobytes() for row in np.moveaxis(each, axis, 0)] for each in (one, other)
        )
        if len(set(rows)) > 1 and Counter(rows) == Counter(others):
            what = {(2, 0): "rows", (2, 1): "columns", (1, 0): "numbers"}
            named = what.get((one.ndim, axis), f"slices along axis {axis}")
            return f"has the same {named} in another order"
    if one.dtype.kind == "f" or one.dtype.kind == "V":
        place = int(np.argmax(np.abs(one.astype(np.float64))))
        base = float(one.flat[place])
        factor = float(other.flat[place]) / base if base else math.nan
        if math.isfinite(factor) and np.allclose(
            other.astype(np.float64), one.astype(np.float64) * factor, rtol=1e-5, atol=0
        ):
            if factor == 0:
                return "is all zeros"
            return "has the other sign" if factor == -1 else f"is {factor:.4g} times what it was"
    return ""


@dataclass(kw_only=True)
class _Distance:
    largest: float = 0.0
    squared: float = 0.0
    scale: float = 0.0
    reference: float = 0.0
    changed: int = 0
    new_infinite: int = 0

    @property
    def relative(self) -> float:
        if not self.reference:
            return math.inf if self.squared else 0.0
        return math.sqrt(self.squared / self.reference)


def _distance(a: Weight, b: Weight) -> _Distance:
    """How far two weights of one size are apart, in float64 and in parts."""
    found = _Distance()
    for one, other in common_parts(a, b):
        if one.dtype == other.dtype and same_bytes(one, other):
            _add_equal(found, one)
            continue
        with np.errstate(all="ignore"):
            first = one.astype(np.float64)
            second = other.astype(np.float64)
            equal = (first == second) | (np.isnan(first) & np.isnan(second))
            finite = np.isfinite(first) & np.isfinite(second)
            apart = np.where(finite, second - first, 0)
        found.changed += int((~equal).sum())
        found.new_infinite += int((np.isfinite(first) & ~np.isfinite(second)).sum())
        found.largest = max(found.largest, float(np.abs(apart).max(initial=0)))
        found.scale = max(found.scale, float(np.abs(first[np.isfinite(first)]).max(initial=0)))
        found.squared += float((apart**2).sum())
        found.reference += float((first[finite] ** 2).sum())
    return found


def _add_equal(found: _Distance, part: np.ndarray) -> None:
    """A part in which nothing changed only counts for the size of the whole."""
    values = part.astype(np.float64)
    finite = values[np.isfinite(values)]
    if finite.size:
        found.scale = max(found.scale, float(finite.max()), -float(finite.min()))
        found.reference += float(finite @ finite)


def _different(a: Weight, b: Weight) -> WeightChange:
    apart = _distance(a, b)
    details = {
        "changed": apart.changed,
        "of": a.size,
        "relative_difference": apart.relative if math.isfinite(apart.relative) else None,
        "largest_difference": apart.largest,
    }
    if apart.new_infinite:
        text = f"has {apart.new_infinite} numbers that became infinite or NaN"
        return WeightChange(kind=Kind.VALUES, text=text, sort="infinite", details=details)
    if not apart.changed:
        text = "differs in the bits of NaN or of a zero's sign alone"
        return WeightChange(kind=Kind.VALUES, text=text, sort=text, details=details)
    if apart.relative < ROUNDING:
        text = f"differs by rounding alone ({apart.relative:.1e})"
        return WeightChange(kind=Kind.VALUES, text=text, sort="rounding", details=details)
    few = apart.changed * 2 <= a.size
    part = f"{apart.changed} of its {a.size} numbers changed, " if few else ""
    if few:
        by = f"by {number(apart.largest)} at most, where the largest is {number(apart.scale)}"
        text = f"is {share(apart.relative)} different: {part}{by}"
    else:
        text = f"is {share(apart.relative)} different"
    return WeightChange(kind=Kind.VALUES, text=text, sort="numbers", details=details)


def share(part: float) -> str:
    """A part in per cent, with two digits that count."""
    if not math.isfinite(part):
        return "wholly"
    if part >= 10:
        return f"{part:.2g} times its size"
    percent = 100 * part
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    if one.shape != other.shape:
        return False
    return np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(other).tobytes()
