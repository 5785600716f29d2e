"""What students get wrong in `integer_layer`. Each body computes the codes that the mistake leads
to, and says whether they were given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from nbjudge.findings import Causes, Section

LAYER = Section("lab-7-01/04a-int8-arithmetic#an-integer-layer")

Layer = Mapping[str, np.ndarray]


def divided(
    rounds: Callable[[np.ndarray], np.ndarray],
) -> Callable[[Layer, np.ndarray], np.ndarray]:
    """The bias in steps of the sum, rounded in that way."""
    return lambda layer, step: rounds(layer["bias"] / step)


IN_STEPS = divided(np.rint)


def codes(
    layer: Layer,
    *,
    x_zero: bool = True,
    w_zero: bool = True,
    bias: Callable[[Layer, np.ndarray], np.ndarray] = IN_STEPS,
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
    x, w = layer["x"].astype(np.int64), layer["w"].astype(np.int64)
    step = (layer["x_scale"] * layer["w_scale"]).astype(np.float32)
    total = (x - int(layer["x_zero"]) * x_zero) @ (w - layer["w_zero"].astype(np.int64) * w_zero)
    total = with_bias(sums(total) + bias(layer, step))
    steps = total.astype(np.float32) * multiplier(step, layer["y_scale"]).astype(np.float32)
    found, limits = rounded(steps, int(layer["y_zero"])), np.iinfo(layer["y_zero"].dtype)
    inside = (
        np.clip(found, limits.min, limits.max) if clips else (found - limits.min) % 256 + limits.min
    )
    return inside.astype(layer["y_zero"].dtype)


def _whole(layer: Layer, step: np.ndarray) -> np.ndarray:
    return np.rint(layer["bias"].astype(np.float64) / step)


def _always(bias: np.ndarray) -> Callable[[Layer, np.ndarray], np.ndarray]:
    return lambda layer, step: bias


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
def one_code(found, layer):
    """Every code is the same one. Each row and column has a sum of its own."""
    return found.size > 1 and (found == found.flat[0]).all()


@SEEN.misconception(LAYER)
def x_zero_forgotten(found, layer):
    """The zero point of x is missing in the sum. A code is not the number itself: it stands for
    x_scale * (x - x_zero).
    """
    return _same(found, codes(layer, x_zero=False))


@SEEN.misconception(LAYER)
def x_as_unsigned(found, layer):
    """The codes of x were read as uint8, and here they are int8: -1 became 255. Widen them in the type
    that they have.
    """
    is_signed = layer["x"].dtype == np.int8
    return is_signed and _same(found, codes({**layer, "x": layer["x"].view(np.uint8)}))


@SEEN.misconception(LAYER)
def w_zero_forgotten(found, layer):
    """The zero point of w is missing in the sum. It vanishes only where w_zero is 0."""
    return _same(found, codes(layer, w_zero=False))


@SEEN.misconception(LAYER)
def bias_left_out(found, layer):
    """The bias is missing."""
    return _same(found, codes(layer, bias=lambda layer, step: np.zeros_like(step)))


@SEEN.misconception(LAYER)
def bias_in_numbers(found, layer):
    """The sum counts steps of size x_scale * w_scale. Divide the bias by that size before you add
    it.
    """
    return _same(found, codes(layer, bias=lambda layer, step: np.rint(layer["bias"])))


@SEEN.misconception(LAYER)
def bias_in_output_steps(found, layer):
    """The bias was divided by the output's scale and then multiplied by x_scale * w_scale / y_scale
    with the sum. It joins the sum in steps of size x_scale * w_scale.
    """
    return _same(
        found, codes(layer, bias=lambda layer, step: np.rint(layer["bias"] / layer["y_scale"]))
    )


@SEEN.misconception(LAYER)
def bias_not_rounded(found, layer):
    """An integer layer adds the bias as a whole number: round it to whole steps first."""
    return _same(
        found, codes(layer, bias=lambda layer, step: layer["bias"].astype(np.float64) / step)
    )


@SEEN.misconception(LAYER)
def bias_in_32_bits(found, layer):
    """The bias takes more steps than int32 holds, so in int32 it wraps without a message, or is cut off
    where you clip it. Keep it in int64 or float64 until the sum is multiplied.
    """
    ends = -(2.0**31), 2.0**31 - 1
    whole = _whole(layer, (layer["x_scale"] * layer["w_scale"]).astype(np.float32))
    in_32_bits = (
        _into(whole, 32),
        np.clip(whole, *ends),
        np.where((ends[0] <= whole) & (whole <= ends[1]), whole, ends[0]),
    )
    return any(
        _same(found, codes(layer, bias=_always(bias), with_bias=with_bias))
        for bias in in_32_bits
        for with_bias in (lambda total: total, lambda total: _into(total, 32))
    )


@SEEN.misconception(LAYER)
def sums_in_sixteen_bits(found, layer):
    """The sum of the products does not fit into sixteen bits, and wraps. Convert to int32 before
    you multiply.
    """
    return _same(found, codes(layer, sums=lambda total: _into(total, 16)))


@SEEN.misconception(LAYER)
def multiplies_in_eight_bits(found, layer):
    """In NumPy a product of int8 and int8 is int8, and it wraps. Convert both factors to int32
    before you subtract and multiply.
    """
    x, w = (layer[name] - layer[f"{name}_zero"] for name in ("x", "w"))
    return _same(
        found, codes(layer, sums=lambda total: x.astype(np.int64) @ w.astype(np.int64))
    ) or _same(found, codes(layer, sums=lambda total: _into(total, 8)))


@SEEN.misconception(LAYER)
def one_scale(found, layer):
    """Each column of w has a scale of its own. The first one was used for all."""
    return _same(
        found, codes({**layer, "w_scale": np.full_like(layer["w_scale"], layer["w_scale"][0])})
    )


@SEEN.misconception(LAYER)
def upside_down(found, layer):
    """The sum has steps of size x_scale * w_scale, and the result steps of size y_scale. Multiply
    by the first and divide by the second.
    """
    return _same(found, codes(layer, multiplier=lambda step, y_scale: y_scale / step))


@SEEN.misconception(LAYER)
def zero_in_the_sum(found, layer):
    """y_zero is a code of the output. Add it after the multiplication, not to the sum before it."""
    steps = (layer["x_scale"] * layer["w_scale"] / layer["y_scale"]).astype(np.float32)
    return _same(
        found, codes(layer, rounded=lambda numbers, y_zero: np.rint(numbers + y_zero * steps))
    )


@SEEN.misconception(LAYER)
def y_zero_left_out(found, layer):
    """y_zero is missing: the code for 0 is the zero point."""
    return _same(found, codes(layer, rounded=lambda steps, y_zero: np.rint(steps)))


@SEEN.misconception(LAYER)
def half_up(found, layer):
    """floor(x + 0.5) rounds every tie up. QLinearMatMul rounds ties to the even neighbour, as
    numpy.rint does.
    """
    return _ties_elsewhere(found, layer, _up)


@SEEN.misconception(LAYER)
def cuts(found, layer):
    """astype() rounds towards zero. Round first."""
    before = codes(layer, rounded=lambda steps, y_zero: np.trunc(steps) + y_zero)
    behind = codes(layer, rounded=lambda steps, y_zero: np.trunc(steps + y_zero))
    return _same(found, before) or _same(found, behind)


@SEEN.misconception(LAYER)
def adds_before_rounding(found, layer):
    """Round the steps first, then add y_zero. The other way round a tie goes to another neighbour
    where y_zero is odd.
    """
    return _same(found, codes(layer, rounded=lambda steps, y_zero: np.rint(steps + y_zero)))


@SEEN.misconception(LAYER)
def wraps(found, layer):
    """astype() does not saturate: 256 becomes 0. Clip to the limits of the type before you convert."""
    return _same(found, codes(layer, clips=False))


@SEEN.misconception(LAYER)
def bias_half_up(found, layer):
    """The bias is rounded with ties up. Both roundings send a tie to the even neighbour, the bias's
    and the result's.
    """
    return _same(found, codes(layer, bias=divided(_up)))


@SEEN.misconception(LAYER)
def away_from_zero(found, layer):
    """Ties were rounded away from zero. QLinearMatMul rounds them to the even neighbour, as
    numpy.rint does.
    """
    return _ties_elsewhere(found, layer, _away) or _same(found, codes(layer, bias=divided(_away)))


@SEEN.misconception(LAYER)
def bias_cut(found, layer):
    """The bias lost its fraction. Round it to the nearest whole step."""
    return any(_same(found, codes(layer, bias=divided(cut))) for cut in (np.trunc, np.floor))


@SEEN.misconception(LAYER)
def one_zero_point(found, layer):
    """Each column of w has a zero point of its own. The first one was used for all."""
    return _same(
        found, codes({**layer, "w_zero": np.full_like(layer["w_zero"], layer["w_zero"][0])})
    )


@SEEN.misconception(LAYER)
def numbers_instead_of_codes(found, layer):
    """The codes were turned into float32 numbers before they were multiplied. A sum of those is
    rounded, so a half step becomes a little more or less. Add up integers, and multiply once.
    """
    is_tie = codes(layer, rounded=lambda steps, y_zero: steps % 1 == 0.5)
    return (np.abs(found.astype(int) - codes(layer)) <= is_tie.astype(int)).all()


def _up(numbers: np.ndarray) -> np.ndarray:
    return np.floor(numbers + 0.5)


def _away(numbers: np.ndarray) -> np.ndarray:
    return np.copysign(np.floor(np.abs(numbers) + 0.5), numbers)


def _ties_elsewhere(
    found: np.ndarray, layer: Layer, rounds: Callable[[np.ndarray], np.ndarray]
) -> bool:
    """Whether ties of the result go where `rounds` sends them, or those of the bias too."""

    def rounded(steps: np.ndarray, y_zero: int) -> np.ndarray:
        return rounds(steps) + y_zero

    return _same(found, codes(layer, rounded=rounded)) or _same(
        found, codes(layer, rounded=rounded, bias=divided(rounds))
    )


def _same(found: np.ndarray, wrong: np.ndarray) -> bool:
    return bool(np.array_equal(found, wrong))
