"""What a change of type did to a weight's numbers, one by one: kept, rounded, made infinite, clamped,
wrapped around. Types differ in what they can hold, and a cast of all numbers loses it in silence, so
it shows nothing to cast and to compare.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from formatlab.diff import types
from formatlab.diff.weights import Weight, common_parts
from formatlab.diff.words import joined


@dataclass(kw_only=True)
class Cast:
    """How many numbers of a weight became what. `kept` are those of the same value, `rounded` those
    that are the nearest that the new type has, `cut` neighbours that are not the nearest, `zero`
    those of the rounded that became 0; `different` are explained by nothing.
    """

    of: int = 0
    to: str = ""
    kept: int = 0
    rounded: int = 0
    cut: int = 0
    zero: int = 0
    infinite: int = 0
    nan: int = 0
    finite: int = 0
    clamped: int = 0
    wrapped: int = 0
    beyond: int = 0
    different: int = 0

    @property
    def is_harmless(self) -> bool:
        """Is every number the same, or the nearest that the new type has, and no 0 new?"""
        return self.kept + self.rounded == self.of and not self.zero

    @property
    def said(self) -> str:
        if self.kept == self.of:
            return "with the same numbers"
        if self.is_harmless:
            return "rounded to the nearest"
        parts = [
            f"{self._of(number)} {words}"
            for number, words in (
                (self.infinite, "became infinite"),
                (self.nan, "became NaN"),
                (
                    self.finite,
                    f"{_were(self.finite)} infinite or NaN, which {self.to} does not hold",
                ),
                (self.wrapped, f"wrapped around, beyond what {self.to} holds"),
                (self.clamped, f"{_were(self.clamped)} clamped to the end of what {self.to} holds"),
                (
                    self.beyond,
                    f"{_were(self.beyond)} beyond what {self.to} holds, and became others",
                ),
                (self.zero, "became 0, too small for the type"),
                (self.cut, f"{_were(self.cut)} cut off, not rounded to the nearest"),
            )
            if number
        ]
        if (self.rounded > self.zero) and parts and not self.different:
            parts.append("others were rounded to the nearest")
        return joined(parts) if parts else ""

    def _of(self, number: int) -> str:
        if number == self.of:
            return "all of its numbers" if number > 1 else "its number"
        return f"{number} of its {self.of} numbers"

    @property
    def details(self) -> dict[str, Any]:
        """The numbers behind it, for the JSON report; `became_infinite` counts NaN as well."""
        found: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("rounded", "cut", "wrapped", "clamped", "beyond")
            if getattr(self, name)
        }
        if self.zero:
            found["became_zero"] = self.zero
        if self.infinite or self.nan:
            found["became_infinite"] = self.infinite + self.nan
        return found


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def compare(a: Weight, b: Weight) -> Cast:
    """Two weights of one shape and two types of real numbers."""
    found = Cast(of=a.size, to=b.type_name)
    seen = 0
    for one, other in common_parts(a, b):
        seen += one.size
        with np.errstate(all="ignore"):
            if types.is_float(b.dtype):
                _to_float(found, one, other, is_float=types.is_float(a.dtype))
            else:
                _to_whole(found, one, other, b.type_name, is_float=types.is_float(a.dtype))
    found.kept += a.size - seen  # zeros that neither file holds on the disk
    return found


def _to_float(found: Cast, one: np.ndarray, other: np.ndarray, *, is_float: bool) -> None:
    dtype = other.dtype
    after = other.astype(np.float64)
    before = one.astype(np.float64)
    if is_float:
        same = (before == after) | (np.isnan(before) & np.isnan(after))
        finite = np.isfinite(before)
    else:  # float64 does not hold every integer of 64 bits
        same = (before == after) & _is_exact(one, before)
        finite = np.ones(one.shape, bool)
    nearest = one.astype(dtype).astype(np.float64)
    info: Any = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    limit = float(info.max)
    infinite = finite & np.isinf(after)
    nan = ~np.isnan(before) & np.isnan(after)
    gone = ~finite & ~same & ~nan
    beyond = finite & ~same & ~infinite & ~nan & (np.abs(before) > limit)
    clamped = beyond & (np.abs(after) == limit) & (np.sign(after) == np.sign(before))
    # What lies just above the largest number is rounded to it.
    rounded = finite & ~same & np.isfinite(after) & (nearest == after)
    clamped &= ~rounded
    left = finite & np.isfinite(after) & ~same & ~rounded & ~beyond
    spacing = float(info.eps) * np.maximum(np.abs(nearest), float(info.smallest_normal))
    cut = left & (np.abs(after - before) < spacing) & (after != 0)
    zero = rounded & (after == 0)
    _add(
        found,
        kept=same,
        rounded=rounded,
        zero=zero,
        infinite=infinite,
        nan=nan,
        finite=gone,
        clamped=clamped,
        beyond=beyond & ~clamped & ~rounded,
        cut=cut,
        different=left & ~cut,
    )


def _to_whole(
    found: Cast, one: np.ndarray, other: np.ndarray, name: str, *, is_float: bool
) -> None:
    low, high = _limits(name)
    after = _whole(other)
    if is_float:
        shown = one.astype(np.float64)
        finite = np.isfinite(shown)
        shown = np.where(finite, shown, 0)
        # From 2**53 on every float64 is a whole number. `high + 1` is a power of two, and exact.
        inside = finite & (np.rint(shown) >= low) & (np.rint(shown) < float(high + 1))
        kind = np.uint64 if high >= 2**63 else np.int64
        nearest = np.where(inside, np.rint(shown), 0).astype(kind)
        same = inside & (nearest == after) & (np.rint(shown) == shown)
        rounded = inside & ~same & (nearest == after)
        cut = (
            inside & ~same & ~rounded & (np.where(inside, np.trunc(shown), 0).astype(kind) == after)
        )
        above = shown > 0
        gone = ~finite
        fits = np.abs(shown) < 2.0**63
        whole = np.where(fits, np.trunc(shown), 0).astype(np.int64)
    else:
        whole = _whole(one)
        finite = fits = np.ones(one.shape, bool)
        inside = (whole >= low) & (whole <= high)
        same = whole == after
        above = whole > 0
        rounded = cut = gone = np.zeros(one.shape, bool)
    beyond = finite & ~inside
    ends = beyond & np.where(above, after == high, after == low)
    # The lower bits are the same.
    apart = whole.astype(np.uint64) - after.astype(np.uint64)
    around = beyond & ~ends & fits & (apart & np.uint64(high - low) == 0)
    _add(
        found,
        kept=same,
        rounded=rounded,
        zero=rounded & (after == 0),
        finite=gone,
        cut=cut,
        wrapped=around,
        clamped=ends,
        beyond=beyond & ~ends & ~around,
        different=inside & ~same & ~rounded & ~cut,
    )


def _add(found: Cast, **masks: np.ndarray) -> None:
    for name, mask in masks.items():
        setattr(found, name, getattr(found, name) + int(np.count_nonzero(mask)))


def _whole(values: np.ndarray) -> np.ndarray:
    return values if values.dtype == np.uint64 else values.astype(np.int64)


def _is_exact(whole: np.ndarray, wide: np.ndarray) -> np.ndarray:
    """Does float64 hold these integers?"""
    if whole.dtype.itemsize < 8:
        return np.ones(whole.shape, bool)
    inside = np.abs(wide) < (2.0**64 if whole.dtype.kind == "u" else 2.0**63)
    return inside & (np.where(inside, wide, 0).astype(whole.dtype) == whole)


def _limits(name: str) -> tuple[int, int]:
    if name == "BOOL":
        return 0, 1
    bits = int(re.sub(r"\D", "", name))
    return (0, 2**bits - 1) if name.startswith("U") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
