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

from formatlab.diff import casts, types
from formatlab.diff.changes import Kind
from formatlab.diff.weights import Weight, common_parts, same_bytes
from formatlab.diff.words import count, joined, number, plain, quoted

# Weights of so few numbers are told whole.
SHOWN = 8
# Beyond it, rearrangements are not looked for.
LARGEST = 1 << 24
# A number that is off by less of itself was rounded in another way.
ROUNDING = 1e-6
FACTOR = 1e-3


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


def shown(weight: Weight, exact: bool = False) -> str:
    """The numbers of a small weight, with four digits or `exact`."""
    values = weight.array()
    if values.dtype == object or values.dtype.kind in "biuc":
        cells = values.tolist()
    elif types.is_float(weight.dtype):
        cells = values.astype(np.float64).tolist()
    else:  # integers of a few bits
        cells = values.astype(np.int64).tolist()
    return _nested(cells, exact)


def _nested(value: object, exact: bool) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_nested(each, exact) for each in value)}]"
    if isinstance(value, float) and exact:
        return repr(value)
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
        if a.array()[common].size and _same(a.array()[common], b.array()[common]):
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
    text = f"is {b.type_name} and was {a.type_name}"
    if min(a.size, b.size) == 0 or not (types.is_real(a.dtype) and types.is_real(b.dtype)):
        return WeightChange(kind=Kind.RETYPED, text=text, sort=text, details=details)
    cast = casts.compare(a, b)
    to_whole = types.is_float(a.dtype) and not types.is_float(b.dtype)
    if to_whole and a.size > SHOWN and cast.different:
        text = f"was {a.type_name} and is {b.type_name}: it was quantized"
        sort = f"quantized {a.type_name} {b.type_name}"
        return WeightChange(kind=Kind.QUANTIZED, text=text, sort=sort, details=details)
    details |= cast.details
    how = cast.said
    if a.size <= SHOWN and not cast.is_harmless:
        text = f"was {a.type_name} {shown(a)} and is {b.type_name} {shown(b)}"
        if not cast.different:
            text += f": {how}"
        return WeightChange(kind=Kind.RETYPED, text=text, sort=text, details=details)
    if cast.different:
        apart = _distance(a, b)
        details["relative_difference"] = apart.share
        how = (
            f"{how}, and {share(apart.relative)} different"
            if how
            else f"{share(apart.relative)} different"
        )
    text += f", {how}" if cast.is_harmless or not cast.different else f", and {how}"
    sort = "rounded" if cast.is_harmless else how
    return WeightChange(
        kind=Kind.RETYPED, text=text, sort=f"{a.type_name} {b.type_name} {sort}", details=details
    )


def _other_numbers(a: Weight, b: Weight) -> WeightChange:
    if a.size <= SHOWN:
        was = shown(a)
        now = shown(b)
        if was == now:
            was = shown(a, exact=True)
            now = shown(b, exact=True)
        text = f"was {was} and is {now}"
        if was == now:
            text = "differs in the bits of NaN alone"
        if len(a.dims) == 1 and a.size > 1 and sorted(_bits(a)) == sorted(_bits(b)):
            text += ", the same numbers in another order"
        details = {"from": was, "to": now}
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
    if one.dtype.kind == "f" or (one.dtype.kind == "V" and "float" in one.dtype.name):
        place = int(np.argmax(np.abs(one.astype(np.float64))))
        base = float(one.flat[place])
        factor = float(other.flat[place]) / base if base else math.nan
        # A factor of nearly 1 is no factor: numbers of the weight changed.
        is_near = abs(factor - 1) < FACTOR
        if (
            math.isfinite(factor)
            and not is_near
            and np.allclose(
                other.astype(np.float64), one.astype(np.float64) * factor, rtol=1e-5, atol=0
            )
        ):
            if factor == 0:
                return "is all zeros"
            return "has the other sign" if factor == -1 else f"is {factor:.4g} times what it was"
    return ""


@dataclass(kw_only=True)
class _Distance:
    """`own` is the largest change of a finite number as a part of itself, and `worst` that number before
    and after. `became` counts numbers that became infinite or NaN, `no_longer` those that are finite
    now or infinite in another direction.
    """

    largest: float = 0.0
    squared: float = 0.0
    scale: float = 0.0
    reference: float = 0.0
    changed: int = 0
    became_infinite: int = 0
    became_nan: int = 0
    no_longer: int = 0
    own: float = 0.0
    worst: tuple[float, float] = (0.0, 0.0)

    @property
    def relative(self) -> float:
        if not self.reference:
            return math.inf if self.squared else 0.0
        return math.sqrt(self.squared / self.reference)

    @property
    def share(self) -> float | None:
        return self.relative if math.isfinite(self.relative) else None

    @property
    def not_finite(self) -> str:
        """What became infinite, NaN, or finite, in words."""
        parts = [
            f"{count(number, 'number')} that {words}"
            for number, words in (
                (self.became_infinite, "became infinite"),
                (self.became_nan, "became NaN"),
                (
                    self.no_longer,
                    f"{'was' if self.no_longer == 1 else 'were'} infinite or NaN and changed",
                ),
            )
            if number
        ]
        return joined(parts) if parts else ""


def _distance(a: Weight, b: Weight) -> _Distance:
    """How far two weights of one size are apart, in parts. Whole numbers of 64 bits need more digits
    than float64 has.
    """
    found = _Distance()
    for one, other in common_parts(a, b):
        if one.dtype == other.dtype and same_bytes(one, other):
            _add_equal(found, one)
            continue
        kinds = {one.dtype.kind, other.dtype.kind}
        if "c" in kinds:
            wide: Any = np.complex128
        elif kinds & set("iu") and max(one.itemsize, other.itemsize) == 8:
            wide = np.longdouble
        else:
            wide = np.float64
        with np.errstate(all="ignore"):
            first = one.astype(wide)
            second = other.astype(wide)
            equal = (first == second) | (np.isnan(first) & np.isnan(second))
            mine = np.isfinite(first)
            theirs = np.isfinite(second)
            both = mine & theirs
            size = np.abs(np.where(mine, first, 0))
            apart = np.abs(np.where(both, second - first, 0))
            own = np.where(apart > 0, apart / np.where(size > 0, size, apart.dtype.type(1e-300)), 0)
        found.changed += int((~equal).sum())
        found.became_infinite += int((mine & np.isinf(second)).sum())
        found.became_nan += int((~np.isnan(first) & np.isnan(second)).sum())
        found.no_longer += int((~mine & ~equal & ~np.isnan(second)).sum())
        found.largest = max(found.largest, float(apart.max(initial=0)))
        found.scale = max(found.scale, float(size.max(initial=0)))
        found.squared += float((apart**2).sum())
        found.reference += float((size[both] ** 2).sum())
        if own.size and own.max() > found.own:
            at = int(own.argmax())
            found.own = float(own[at])
            if wide is not np.complex128:
                found.worst = (float(first[at]), float(second[at]))
    return found


def _add_equal(found: _Distance, part: np.ndarray) -> None:
    """A part in which nothing changed only counts for the size of the whole."""
    values = np.abs(part.astype(np.complex128 if part.dtype.kind == "c" else np.float64))
    finite = values[np.isfinite(values)]
    if finite.size:
        found.scale = max(found.scale, float(finite.max()))
        found.reference += float(finite @ finite)


def _different(a: Weight, b: Weight) -> WeightChange:
    apart = _distance(a, b)
    details = {
        "changed": apart.changed,
        "of": a.size,
        "relative_difference": apart.share,
        "largest_difference": apart.largest if math.isfinite(apart.largest) else None,
    }
    if not_finite := apart.not_finite:
        text = f"has {not_finite}"
        if apart.squared:
            text += f", and is {share(apart.relative)} different elsewhere"
        return WeightChange(kind=Kind.VALUES, text=text, sort="infinite", details=details)
    if not apart.changed:
        text = "differs in the bits of NaN or of a zero's sign alone"
        return WeightChange(kind=Kind.VALUES, text=text, sort=text, details=details)
    if apart.own < ROUNDING and types.is_float(a.dtype):
        text = f"differs by rounding alone: no number by more than {apart.own:.1e} of itself"
        return WeightChange(kind=Kind.VALUES, text=text, sort="rounding", details=details)
    few = apart.changed * 2 <= a.size
    was, now = (number(each) for each in apart.worst)
    part = f"{apart.changed} of its {a.size} numbers changed" if few else ""
    by = f"by {number(apart.largest)} at most, where the largest is {number(apart.scale)}"
    if apart.relative < ROUNDING:
        # Beside a number that is a million times as large, a length says nothing.
        text = f"has other numbers: {part or 'most changed'}, {by}; the most for its size from {was} to {now}"
    elif few:
        text = f"is {share(apart.relative)} different: {part}, {by}"
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
