"""The rungs of `quantize`: the kinds of the three results, scale and zero point, and each code."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from formatlab_exercises.quantize.ask import EXPECTED
from formatlab_exercises.quantize.judge import misconceptions
from formatlab_exercises.quantize.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge import arrays
from nbjudge.contract import View
from nbjudge.findings import Finding, Misconception, explained
from nbjudge.rungs.outcome import known

AFFINE = misconceptions.AFFINE
# A scale is one float32 division; who computes it in float64 is off by half a unit in its last
# place.
SCALE = 1e-6
# A quotient so near a tie may round to either side when it is computed in another precision. A tie
# that is exact may not.
NEAR_A_TIE = 1e-3


@dataclass(frozen=True)
class Wanted:
    """What is right for a tensor."""

    scale: float
    zero: int
    steps: np.ndarray
    kind: np.dtype

    @property
    def limits(self) -> tuple[int, int]:
        """The lowest code and the highest."""
        return (-127, 127) if self.kind == np.int8 else (0, 255)

    @property
    def codes(self) -> np.ndarray:
        return np.clip(np.rint(self.steps) + self.zero, *self.limits)


def wanted(view: View) -> Wanted:
    """By the reference's scale and zero point: the judge derives nothing a second time."""
    x, symmetric = arrays.given(view)["x"], view.case.parameters["symmetric"]
    scale, zero = view.reference["scale"], int(view.reference["zero_point"])
    # In float64, where a quotient is a tie only if it is exactly one.
    return Wanted(
        float(scale),
        zero,
        x.astype(np.float64) / float(scale),
        np.dtype(np.int8 if symmetric else np.uint8),
    )


RETURNS = arrays.returns(EXPECTED, AFFINE, ("codes", "scale", "zero_point"))


def is_triple(view: View) -> Finding | None:
    """The function returns codes, a scale and a zero point. Where a NaN or an infinity stops it, an
    infinite number was in its range, because every tensor holds one.
    """
    finding = RETURNS(view)
    said = view.answer.error.get("text", "") if view.answer.outcome == "raised" else ""
    if finding is not None and ("NaN" in said or "infinity" in said):
        return replace(finding, cause=misconceptions.infinite_range)
    return finding


def has_the_types(view: View) -> Finding | None:
    """Codes of eight bits in the tensor's shape, and numbers beside them."""
    found, x, kind = known(arrays.read(view.answer)), arrays.given(view)["x"], wanted(view).kind
    codes = found["codes"]
    expected = f"codes in {kind} of the tensor's shape, a scale above 0, and a whole zero point"
    if np.array_equal(codes, x) and x.any():
        return Finding(expected, "the tensor itself", Mistakes.unchanged)
    if codes.dtype.kind == "f":
        return Finding(expected, f"codes in {codes.dtype}", Mistakes.floats_as_codes)
    if codes.dtype != kind and codes.dtype in (np.int8, np.uint8):
        return Finding(expected, f"codes in {codes.dtype}", Mistakes.wrong_sign)
    if codes.dtype != kind or codes.shape != x.shape:
        return Finding(
            expected,
            arrays.kind_of(codes),
            "A code takes eight bits, and every number has one.",
            AFFINE,
        )
    return None


def leaves_the_argument(view: View) -> Finding | None:
    """The tensor that was passed in is as it was before the call."""
    return arrays.changed(view, Mistakes.in_place)


def has_scale_and_zero_point(view: View) -> Finding | None:
    """The scale is the reference's to within float32, the zero point exactly."""
    found, right = known(arrays.read(view.answer)), wanted(view)
    scale, zero = arrays.number(found["scale"]), arrays.number(found["zero_point"])
    if not np.isclose(scale, right.scale, rtol=SCALE, atol=0):
        what = (f"a scale of {right.scale:.6g}", "the scale that follows from the range")
        last = AFFINE.cause("Write the two ends of the range and their codes down, and divide.")
        return _other(view, what, f"{scale:.6g}", [*misconceptions.PARAMETERS, last], scale)
    if zero != right.zero:
        what = (f"a zero point of {right.zero}", "the zero point that follows from the range")
        last = AFFINE.cause("""The code of 0 is the zero point. Put x = 0 into
            x = scale * (code - zero_point).""")
        return _other(view, what, f"{zero:g}", [*misconceptions.ZEROS, last], zero)
    return None


def _other(
    view: View, what: tuple[str, str], found: str, causes: list[Misconception], number: float
) -> Finding:
    """Another number than the one that was wanted: `what` is that, for a public case and for a
    hidden one.
    """
    x = arrays.given(view)["x"]
    seen = number, x[np.isfinite(x)], view.case.parameters["symmetric"]
    if not view.case.public:
        found = "another one"
    return explained(what[not view.case.public], found, causes, *seen)


BY_HAND = AFFINE.cause("""Follow one number by hand: divide by the scale, round, add the zero point,
    clip.""")


def has_the_codes(view: View) -> Finding | None:
    """Each code is the right one; where a quotient is nearly a tie, either neighbour is."""
    found, right = known(arrays.read(view.answer))["codes"].astype(np.float64), wanted(view)
    expected, seen = "for each number the nearest code", "other codes"
    if found.shape != right.steps.shape:
        seen = f"codes of shape {list(found.shape)}"
        return Finding(expected, seen, "Every number has a code of its own.", AFFINE)
    settled = np.where(_either(found, right), right.codes, found)
    if np.array_equal(settled, right.codes):
        return None
    if view.case.public:
        seen = arrays.first_wrong(settled, right.codes)
    causes = [*misconceptions.CODES, BY_HAND]
    seen_by_all = (found, right.steps, right.zero, right.limits)
    return explained(expected, seen, causes, *seen_by_all)


def _either(found: np.ndarray, right: Wanted) -> np.ndarray:
    """Where a quotient is nearly a tie, and one of its neighbours was found."""
    steps = np.where(np.isfinite(right.steps), right.steps, 0)
    off = np.abs(steps - np.floor(steps) - 0.5)
    is_near = np.abs(found - right.zero - steps) < 0.5 + NEAR_A_TIE
    return (off > 0) & (off < NEAR_A_TIE) & is_near
