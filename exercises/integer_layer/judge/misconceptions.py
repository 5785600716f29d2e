"""What students get wrong in `integer_layer`. Each body computes the codes that the mistake leads
to, and says whether they were given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from nbjudge.findings import Causes, Section

LAYER = Section("lab-7-01/04a-int8-arithmetic#an-integer-layer")

Given = Mapping[str, np.ndarray]


def codes(
    given: Given,
    *,
    x_zero: bool = True,
    w_zero: bool = True,
    bias: Callable[[Given, np.ndarray], np.ndarray] = lambda given, step: np.rint(
        given["bias"] / step
    ),
    sums: Callable[[np.ndarray], np.ndarray] = lambda total: total,
    with_bias: Callable[[np.ndarray], np.ndarray] = lambda total: total,
    multiplier: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda step, y_scale: (
        step / y_scale
    ),
    rounded: Callable[[np.ndarray, int], np.ndarray] = lambda steps, y_zero: (
        np.rint(steps) + y_zero
    ),
    clips: bool = True,
) -> np.ndarray:
    """The layer's codes, where one of its parts may be done in another way."""
    x, w = given["x"].astype(np.int64), given["w"].astype(np.int64)
    step = (given["x_scale"] * given["w_scale"]).astype(np.float32)
    total = (x - int(given["x_zero"]) * x_zero) @ (w - given["w_zero"].astype(np.int64) * w_zero)
    total = with_bias(sums(total) + bias(given, step))
    steps = total.astype(np.float32) * multiplier(step, given["y_scale"]).astype(np.float32)
    found, limits = rounded(steps, int(given["y_zero"])), np.iinfo(given["y_zero"].dtype)
    inside = (
        np.clip(found, limits.min, limits.max) if clips else (found - limits.min) % 256 + limits.min
    )
    return inside.astype(given["y_zero"].dtype)


def _whole(given: Given, step: np.ndarray) -> np.ndarray:
    return np.rint(given["bias"].astype(np.float64) / step)


def _into(total: np.ndarray, bits: int) -> np.ndarray:
    return (total + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


class Mistakes:
    """Those that a rung recognises by itself."""

    in_place = LAYER.mistake("""An operation such as `x -= x_zero` writes into the caller's array.
        Compute a new one.""")
    not_codes = LAYER.mistake("""The next layer reads codes. Round, clip, and convert to the type of
        y_zero.""")
    always_unsigned = LAYER.mistake("""The output's type is that of y_zero: int8 codes go from -128
        to 127.""")


SEEN = Causes()


@SEEN.misconception(LAYER)
def one_code(found, given):
    """Every code is the same one. Each row and column has a sum of its own."""
    return found.size > 1 and (found == found.flat[0]).all()


@SEEN.misconception(LAYER)
def x_zero_forgotten(found, given):
    """The zero point of x is missing in the sum. A code is not the number itself: it stands for
    x_scale * (x - x_zero).
    """
    return _same(found, codes(given, x_zero=False))


@SEEN.misconception(LAYER)
def x_as_unsigned(found, given):
    """The codes of x were read as uint8, and here they are int8: -1 became 255. Widen them in the type
    that they have.
    """
    is_signed = given["x"].dtype == np.int8
    return is_signed and _same(found, codes({**given, "x": given["x"].view(np.uint8)}))


@SEEN.misconception(LAYER)
def w_zero_forgotten(found, given):
    """The zero point of w is missing in the sum. It vanishes only where w_zero is 0."""
    return _same(found, codes(given, w_zero=False))


@SEEN.misconception(LAYER)
def bias_left_out(found, given):
    """The bias is missing."""
    return _same(found, codes(given, bias=lambda given, step: np.zeros_like(step)))


@SEEN.misconception(LAYER)
def bias_in_numbers(found, given):
    """The sum counts steps of size x_scale * w_scale. Divide the bias by that size before you add
    it.
    """
    return _same(found, codes(given, bias=lambda given, step: np.rint(given["bias"])))


@SEEN.misconception(LAYER)
def bias_in_output_steps(found, given):
    """The bias was divided by the output's scale and then multiplied by x_scale * w_scale / y_scale
    with the sum. It joins the sum in steps of size x_scale * w_scale.
    """
    return _same(
        found, codes(given, bias=lambda given, step: np.rint(given["bias"] / given["y_scale"]))
    )


@SEEN.misconception(LAYER)
def bias_not_rounded(found, given):
    """An integer layer adds the bias as a whole number: round it to whole steps first."""
    return _same(
        found, codes(given, bias=lambda given, step: given["bias"].astype(np.float64) / step)
    )


@SEEN.misconception(LAYER)
def bias_in_32_bits(found, given):
    """The bias takes more steps than int32 holds, and astype() says nothing about it. Keep it in int64
    or float64 until the sum is multiplied.
    """
    ends = -(2.0**31), 2.0**31 - 1
    kept = (
        lambda steps: _into(steps, 32),
        lambda steps: np.clip(steps, *ends),
        lambda steps: np.where((ends[0] <= steps) & (steps <= ends[1]), steps, ends[0]),
    )
    return any(
        _same(
            found,
            codes(
                given,
                bias=lambda given, step, way=way: way(_whole(given, step)),
                with_bias=with_bias,
            ),
        )
        for way in kept
        for with_bias in (lambda total: total, lambda total: _into(total, 32))
    )


@SEEN.misconception(LAYER)
def sums_in_sixteen_bits(found, given):
    """The sum of the products does not fit into sixteen bits, and wraps. Convert to int32 before
    you multiply.
    """
    return _same(found, codes(given, sums=lambda total: _into(total, 16)))


@SEEN.misconception(LAYER)
def multiplies_in_eight_bits(found, given):
    """In NumPy a product of int8 and int8 is int8, and it wraps. Convert both factors to int32
    before you subtract and multiply.
    """
    x, w = (given[name] - given[f"{name}_zero"] for name in ("x", "w"))
    return _same(
        found, codes(given, sums=lambda total: x.astype(np.int64) @ w.astype(np.int64))
    ) or _same(found, codes(given, sums=lambda total: _into(total, 8)))


@SEEN.misconception(LAYER)
def one_scale(found, given):
    """Each column of w has a scale of its own. The first one was used for all."""
    return _same(
        found, codes({**given, "w_scale": np.full_like(given["w_scale"], given["w_scale"][0])})
    )


@SEEN.misconception(LAYER)
def upside_down(found, given):
    """The sum has steps of size x_scale * w_scale, and the result steps of size y_scale. Multiply
    by the first and divide by the second.
    """
    return _same(found, codes(given, multiplier=lambda step, y_scale: y_scale / step))


@SEEN.misconception(LAYER)
def zero_in_the_sum(found, given):
    """y_zero is a code of the output. Add it after the multiplication, not to the sum before it."""
    steps = (given["x_scale"] * given["w_scale"] / given["y_scale"]).astype(np.float32)
    return _same(
        found, codes(given, rounded=lambda numbers, y_zero: np.rint(numbers + y_zero * steps))
    )


@SEEN.misconception(LAYER)
def y_zero_left_out(found, given):
    """y_zero is missing: the code for 0 is the zero point."""
    return _same(found, codes(given, rounded=lambda steps, y_zero: np.rint(steps)))


@SEEN.misconception(LAYER)
def half_up(found, given):
    """floor(x + 0.5) rounds every tie up. QLinearMatMul rounds ties to the even neighbour, as
    numpy.rint does.
    """
    return _ties_elsewhere(found, given, _up)


@SEEN.misconception(LAYER)
def cuts(found, given):
    """astype() rounds towards zero. Round first."""
    told = (
        lambda steps, y_zero: np.trunc(steps) + y_zero,
        lambda steps, y_zero: np.trunc(steps + y_zero),
    )
    return any(_same(found, codes(given, rounded=each)) for each in told)


@SEEN.misconception(LAYER)
def adds_before_rounding(found, given):
    """Round the steps first, then add y_zero. The other way round a tie goes to another neighbour
    where y_zero is odd.
    """
    return _same(found, codes(given, rounded=lambda steps, y_zero: np.rint(steps + y_zero)))


@SEEN.misconception(LAYER)
def wraps(found, given):
    """astype() does not saturate: 256 becomes 0. Clip to the limits of the type before you convert."""
    return _same(found, codes(given, clips=False))


@SEEN.misconception(LAYER)
def bias_half_up(found, given):
    """The bias is rounded with ties up. Both roundings send a tie to the even neighbour, the bias's
    and the result's.
    """
    return _same(found, codes(given, bias=lambda given, step: _up(given["bias"] / step)))


@SEEN.misconception(LAYER)
def away_from_zero(found, given):
    """Ties were rounded away from zero. QLinearMatMul rounds them to the even neighbour, as
    numpy.rint does.
    """
    return _ties_elsewhere(found, given, _away) or _same(
        found, codes(given, bias=lambda given, step: _away(given["bias"] / step))
    )


@SEEN.misconception(LAYER)
def bias_cut(found, given):
    """The bias lost its fraction. Round it to the nearest whole step."""
    return any(
        _same(found, codes(given, bias=lambda given, step, cut=cut: cut(given["bias"] / step)))
        for cut in (np.trunc, np.floor)
    )


@SEEN.misconception(LAYER)
def one_zero_point(found, given):
    """Each column of w has a zero point of its own. The first one was used for all."""
    return _same(
        found, codes({**given, "w_zero": np.full_like(given["w_zero"], given["w_zero"][0])})
    )


@SEEN.misconception(LAYER)
def numbers_instead_of_codes(found, given):
    """The codes were turned into float32 numbers before they were multiplied. A sum of those is
    rounded, so a half step becomes a little more or less. Add up integers, and multiply once.
    """
    is_tie = codes(given, rounded=lambda steps, y_zero: steps % 1 == 0.5)
    return (np.abs(found.astype(int) - codes(given)) <= is_tie.astype(int)).all()


def _up(numbers: np.ndarray) -> np.ndarray:
    return np.floor(numbers + 0.5)


def _away(numbers: np.ndarray) -> np.ndarray:
    return np.copysign(np.floor(np.abs(numbers) + 0.5), numbers)


def _ties_elsewhere(
    found: np.ndarray, given: Given, rounds: Callable[[np.ndarray], np.ndarray]
) -> bool:
    """Whether ties of the result go where `rounds` sends them, or those of the bias too."""
    result = {"rounded": lambda steps, y_zero: rounds(steps) + y_zero}
    both = {**result, "bias": lambda given, step: rounds(given["bias"] / step)}
    return any(_same(found, codes(given, **parts)) for parts in (result, both))


def _same(found: np.ndarray, wrong: np.ndarray) -> bool:
    return bool(np.array_equal(found, wrong))
