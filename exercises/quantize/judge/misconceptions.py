"""What students get wrong in `quantize`. Each body computes what the mistake leads to, or looks for
it.
"""

from __future__ import annotations

import numpy as np

from nbjudge.findings import Causes, Section

AFFINE = Section("lab-7-01/04a-int8-arithmetic#affine-quantization")


class Mistakes:
    """Those that a rung recognises by itself."""

    in_place = AFFINE.mistake("""An operation such as `x /= scale` writes into the array that the
        caller passed in. Compute a new array.""")
    floats_as_codes = AFFINE.mistake("""Codes are whole numbers of eight bits. A float array of
        rounded numbers takes four times the bytes.""")
    unchanged = AFFINE.mistake("""The tensor comes back as it went in. A code is the number of steps
        of size `scale`, rounded, plus the zero point.""")
    wrong_sign = AFFINE.mistake("""Asymmetric codes are uint8, 0 to 255; symmetric ones are int8,
        -127 to 127, so that 0 stands for 0.""")


PARAMETERS = Causes()


@PARAMETERS.misconception(AFFINE)
def infinite_range(found, x, symmetric):
    """An infinite number stretches the range until every finite number has one and the same code.
    Take the range of x[np.isfinite(x)].
    """
    return not np.isfinite(found)


@PARAMETERS.misconception(AFFINE)
def largest_float(found, x, symmetric):
    """numpy.nan_to_num() makes an infinity the largest number of float32, and that stretches the
    range as far. Leave infinite numbers out of it.
    """
    return found > np.finfo(np.float32).max / 1000


@PARAMETERS.misconception(AFFINE)
def nothing_to_divide_by(found, x, symmetric):
    """No finite number of the tensor differs from 0, so its range is empty. You cannot divide by a
    scale of 0: take 1.
    """
    return not x.any()


@PARAMETERS.misconception(AFFINE)
def limit_under_the_scale(found, x, symmetric):
    """The scale is far larger than the range asks for. A lower limit such as 1e-8 for the scale, or
    a range that counts as empty because it is nearly 0, puts all small numbers on the code of 0.
    Only a tensor of zeros needs another scale.
    """
    return found > 100 * _span(x)


@PARAMETERS.misconception(AFFINE)
def scale_of_one(found, x, symmetric):
    """A scale of 1 is right for a tensor of zeros alone. Elsewhere it follows from the range."""
    return found == 1


@PARAMETERS.misconception(AFFINE)
def zero_left_out(found, x, symmetric):
    """The range has to hold 0, because padding and Relu make exact zeros. Extend it: low is at most
    0, high at least 0.
    """
    return not symmetric and _is(found, (x.max() - x.min()) / 255)


@PARAMETERS.misconception(AFFINE)
def counts_codes(found, x, symmetric):
    """Between 256 codes there are 255 steps. The smallest code stands for one end of the range, and
    the largest for the other.
    """
    return _is(found, _span(x) / 256)


@PARAMETERS.misconception(AFFINE)
def one_code_too_many(found, x, symmetric):
    """Symmetric codes go from -127 to 127: 127 steps on either side. -128 would have no partner."""
    return symmetric and _is(found, np.abs(x).max() / 128)


@PARAMETERS.misconception(AFFINE)
def one_side(found, x, symmetric):
    """A symmetric range reaches to the largest magnitude, on either side. max(x) looks at one side
    only.
    """
    return symmetric and _is(found, x.max() / 127)


@PARAMETERS.misconception(AFFINE)
def whole_span(found, x, symmetric):
    """Symmetric codes count from 0 to the largest magnitude, in 127 steps. The distance between
    both ends belongs to the asymmetric form.
    """
    return symmetric and _is(found, _span(x) / 255)


@PARAMETERS.misconception(AFFINE)
def magnitude(found, x, symmetric):
    """The asymmetric form spends its codes between the two ends: scale = (high - low) / 255. The
    largest magnitude belongs to the symmetric form.
    """
    return not symmetric and (
        _is(found, np.abs(x).max() / 127) or _is(found, 2 * np.abs(x).max() / 255)
    )


ZEROS = Causes()


@ZEROS.misconception(AFFINE)
def zero_point_upside_down(found, x, symmetric):
    """`low` has the code 0: from low = scale * (0 - zero_point) follows zero_point = round(-low /
    scale), with the minus.
    """
    return found == -_zero(x)


@ZEROS.misconception(AFFINE)
def zero_point_cut(found, x, symmetric):
    """int() and astype() round towards zero. Round -low / scale to the nearest whole number."""
    return found == np.floor(-min(float(x.min()), 0) / _scale(x))


CODES = Causes()


@CODES.misconception(AFFINE)
def infinite_left_at_zero(found, steps, zero, limits):
    """An infinite number got the code of 0. What lies beyond the range is clipped, and takes the
    code at its end.
    """
    finite = np.isfinite(steps)
    return (found[~finite] == zero).all() and np.array_equal(
        found[finite], np.clip(np.rint(steps[finite]) + zero, *limits)
    )


@CODES.misconception(AFFINE)
def clipped_to_the_range(found, steps, zero, limits):
    """An infinite number got the code of the last finite number on its side. The limits are those of
    the codes, and symmetric codes reach as far on the side where the numbers end early.
    """
    finite = steps[np.isfinite(steps)]
    held = np.clip(steps, min(finite.min(), 0), max(finite.max(), 0))
    return _same(found, np.rint(held) + zero, limits)


@CODES.misconception(AFFINE)
def lowest_of_the_type(found, steps, zero, limits):
    """An infinite number got the code -128, the lowest of int8. Symmetric codes end at -127, so
    that -x has a code wherever x has one.
    """
    low, high = limits
    return low < 0 and np.array_equal(found, np.clip(np.rint(steps) + zero, low - 1, high))


@CODES.misconception(AFFINE)
def wraps(found, steps, zero, limits):
    """A code beyond the end of its type is not cut off by astype(): 256 becomes 0. Clip before you
    convert.
    """
    finite = np.isfinite(steps)  # NumPy leaves open what an infinity becomes
    codes, lowest = np.rint(steps[finite]) + zero, -128 if limits[0] else 0
    return np.array_equal(found[finite], (codes - lowest) % 256 + lowest)


@CODES.misconception(AFFINE)
def adds_before_rounding(found, steps, zero, limits):
    """Round the number of steps first, then add the zero point. The other way round a tie goes to
    another neighbour where the zero point is odd.
    """
    return _same(found, np.rint(steps + zero), limits)


@CODES.misconception(AFFINE)
def half_up(found, steps, zero, limits):
    """floor(x + 0.5) rounds every tie up. QuantizeLinear rounds ties to the even neighbour, as
    numpy.rint does.
    """
    return _same(found, np.floor(steps + 0.5) + zero, limits)


@CODES.misconception(AFFINE)
def cuts(found, steps, zero, limits):
    """astype() rounds towards zero, so a number may end up a whole step away. Round to the nearest
    code first.
    """
    return _same(found, np.trunc(steps) + zero, limits)


@CODES.misconception(AFFINE)
def floors(found, steps, zero, limits):
    """The floor is not the nearest whole number. Every code is half a step too low on average."""
    return _same(found, np.floor(steps) + zero, limits)


@CODES.misconception(AFFINE)
def no_zero_point(found, steps, zero, limits):
    """The zero point is missing in the codes: a number has the code round(x / scale) + zero_point."""
    return _same(found, np.rint(steps), limits)


def _span(x: np.ndarray) -> float:
    return max(float(x.max()), 0) - min(float(x.min()), 0)


def _scale(x: np.ndarray) -> float:
    return _span(x) / 255 or 1.0


def _zero(x: np.ndarray) -> float:
    return float(np.rint(-min(float(x.min()), 0) / _scale(x)))


def _is(found: float, wrong: float) -> bool:
    return bool(np.isclose(found, wrong, rtol=1e-5, atol=0))


def _same(found: np.ndarray, wrong: np.ndarray, limits: tuple[int, int]) -> bool:
    return bool(np.array_equal(found, np.clip(wrong, *limits)))
