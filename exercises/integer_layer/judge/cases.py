"""The cases of `integer_layer`: quantized linear layers of one difficulty each, drawn so that
float32 leaves no doubt about a code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from formatlab_exercises.integer_layer.judge.misconceptions import codes, divided
from formatlab_exercises.shared.arrays import GIVEN, packed
from formatlab_exercises.shared.judge import kinds
from nbjudge.contract import Case

ID = "integer_layer"
Layer = dict[str, np.ndarray]
# How near to a tie no quotient may come, so that float32 and float64 round it alike.
CLEAR = 2e-4
# The largest magnitude of a signed weight: two products with 255 add up to 16 bits at most, so that
# no processor saturates, and an answer that leaves the sum to MatMulInteger gets one mark on all.
LARGEST_SIGNED = 64
ATTEMPTS = 1000


def _layer(
    rng: np.random.Generator,
    *,
    rows: int = 5,
    depth: int = 53,
    columns: int = 4,
    x_type=np.uint8,
    w_type=np.int8,
    large: bool = False,
) -> Layer:
    """A layer with drawn codes, whose outputs go beyond both ends of their range. `large`: the codes
    of x and w are large ones alone, and the zero point of x lies among them.
    """
    x_limits = np.iinfo(x_type)
    w_limits = (-LARGEST_SIGNED, LARGEST_SIGNED) if w_type is np.int8 else (0, 255)
    x = rng.integers(x_limits.min, x_limits.max, (rows, depth), x_type, endpoint=True)
    w = rng.integers(*w_limits, (depth, columns), w_type, endpoint=True)
    x_zero = x_type(rng.integers(x_limits.min + 90, x_limits.max - 90))
    if large:
        x, w, x_zero = x | np.uint8(128), np.maximum(w, 45), np.uint8(rng.integers(180, 200))
    w_zero = (
        np.zeros(columns, w_type)
        if w_type is np.int8
        else rng.integers(100, 150, columns).astype(w_type)
    )
    x_scale = np.float32(rng.uniform(0.005, 0.05))
    w_scale = rng.uniform(0.001, 0.02, columns).astype(np.float32)
    total = (x.astype(np.int64) - int(x_zero)) @ (w.astype(np.int64) - w_zero.astype(np.int64))
    real = total * (float(x_scale) * w_scale)
    bias = (rng.normal(size=columns) * real.std()).astype(np.float32)
    y_scale, y_zero = np.float32(1.5 * real.std() / 127), np.uint8(rng.integers(100, 150))
    layer = {
        "x": x, "x_scale": x_scale, "x_zero": x_zero, "w": w, "w_scale": w_scale, "w_zero": w_zero,
        "bias": bias, "y_scale": y_scale, "y_zero": y_zero,
    }  # fmt: skip
    return {name: np.asarray(value) for name, value in layer.items()}


def _small_codes(rng: np.random.Generator) -> Layer:
    """Codes near their zero points, and scales that are no small numbers: the bias has other codes
    in every unit.
    """
    layer = _layer(rng)
    layer["x"] = (layer["x_zero"] + rng.integers(-9, 10, layer["x"].shape)).astype(np.uint8)
    layer["w"] = rng.integers(-9, 10, layer["w"].shape).astype(np.int8)
    x_scale = np.array(rng.uniform(0.5, 0.9), np.float32)
    w_scale = rng.uniform(0.3, 0.6, layer["w"].shape[1:]).astype(np.float32)
    size = layer["bias"].shape
    bias = rng.uniform(15, 40, size) * rng.choice([-1, 1], size)
    return layer | {
        "x_scale": x_scale,
        "w_scale": w_scale,
        "bias": bias.astype(np.float32),
        "y_scale": np.array(rng.uniform(0.7, 1.2), np.float32),
    }


def _signed_weights(rng: np.random.Generator) -> Layer:
    return _layer(rng)


def _unsigned_weights(rng: np.random.Generator) -> Layer:
    """Weights with a zero point, another one for each column."""
    return _layer(rng, depth=17, w_type=np.uint8)


def _signed_output(rng: np.random.Generator) -> Layer:
    return _layer(rng) | {"y_zero": np.array(rng.integers(-30, -5), np.int8)}


def _signed_inputs(rng: np.random.Generator) -> Layer:
    return _layer(rng, x_type=np.int8)


def _deep(rng: np.random.Generator) -> Layer:
    """So many products that their sum leaves sixteen bits, and large codes throughout."""
    return _layer(rng, rows=3, depth=300, columns=3, large=True)


def _ties(rng: np.random.Generator) -> Layer:
    """Half steps that are exact in integers, an odd zero point of the output, and a bias in half
    steps, of which each second one has an even neighbour below it.

    The products are large and cancel each other, so that in float32 they leave no half steps. The
    scales have nine bits each: their product is exact.
    """
    layer = _layer(rng, rows=6, depth=9, columns=6)
    x, w = rng.integers(10, 240, (6, 4)), rng.integers(20, 40, (4, 6)) * rng.choice([-1, 1], (4, 6))
    last = int(layer["x_zero"]) + rng.integers(-9, 10, (6, 1)), rng.choice([-3, -1, 1, 3], (1, 6))
    layer["x"] = np.hstack([x, x + rng.integers(-1, 2, x.shape), last[0]]).astype(np.uint8)
    layer["w"] = np.vstack([w, -w, last[1]]).astype(np.int8)
    x_scale, w_scale = ((2 * rng.integers(128, 256, 2) + 1) / 2048).astype(np.float32)
    step = x_scale * w_scale
    below = 2 * rng.integers(-5, 5, 6) + rng.permutation([0, 1, 0, 1, 0, 1])
    return layer | {
        "x_scale": np.asarray(x_scale),
        "w_scale": np.full(6, w_scale),
        "y_scale": np.asarray(2 * step),
        "bias": ((below + 0.5) * step).astype(np.float32),
        "y_zero": np.array(2 * rng.integers(60, 68) + 1, np.uint8),
    }


def _wide_bias(rng: np.random.Generator) -> Layer:
    """In every second column the steps of the sum are so small that the bias takes more of them than
    int32 holds. Its codes are within their limits, and far from those of a bias that is cut off.
    """
    layer = _layer(rng, columns=6)
    wide = slice(0, None, 2)
    bias, w_scale = layer["bias"].copy(), layer["w_scale"].copy()
    bias[wide] = layer["y_scale"] * rng.uniform(35, 85, 3) * rng.choice([-1, 1], 3)
    w_scale[wide] = np.abs(bias[wide]) / layer["x_scale"] / rng.uniform(1e10, 3e10, 3)
    return layer | {"bias": bias, "w_scale": w_scale}


KINDS: dict[str, Callable[[np.random.Generator], Layer]] = {
    "small-codes": _small_codes,
    "signed-weights": _signed_weights,
    "unsigned-weights": _unsigned_weights,
    "signed-output": _signed_output,
    "deep": _deep,
    "ties": _ties,
    "signed-inputs": _signed_inputs,
    "wide-bias": _wide_bias,
}
# Which ends of their type the outputs go beyond, below and above, for every seed. Where they stay
# within it, what else is wrong with an answer shows alone.
WITHIN, BOTH = (False, False), (True, True)
BEYOND = {"small-codes": WITHIN, "ties": WITHIN}
# Where a step of the sum shows in the codes.
ABOUT_THE_BIAS = ("small-codes", "ties")
PUBLIC = (
    "small-codes",
    "signed-weights",
    "unsigned-weights",
    "signed-output",
    "deep",
    "ties",
    "wide-bias",
)


def _case(name: str, kind: str, seed: int, public: bool) -> Case:
    rng = np.random.default_rng([seed, len(kind)])
    drawn = (KINDS[kind](rng) for _ in range(ATTEMPTS))
    layer = next(
        layer
        for layer in drawn
        if is_clear(layer, kind)
        and beyond(layer) == BEYOND.get(kind, BOTH)
        and (shows_the_bias(layer) if kind in ABOUT_THE_BIAS else leaves_sixteen_bits(layer))
        and (kind != "ties" or needs_integers(layer))
    )
    return Case(name, {GIVEN: packed(layer)}, {}, public, seed)


public_cases, cases = kinds.all_hidden(_case, ID, KINDS, PUBLIC)


def is_clear(layer: Layer, kind: str) -> bool:
    """Whether each rounding is a tie for all who compute it, or for nobody. Where the bias is not
    what a case is about, one step of the sum more or less changes no code: else it depends on the
    draw what a bias is worth that was not rounded.
    """
    bias, steps = _bias_and_steps(layer)
    multiplier = layer["x_scale"] * layer["w_scale"] / layer["y_scale"]
    margin = CLEAR if kind in ABOUT_THE_BIAS else CLEAR + multiplier
    return _is_clear(bias, CLEAR) and _is_clear(steps, margin)


def shows_the_bias(layer: Layer) -> bool:
    """Whether a bias that is left in fractions, cut or rounded down gives other codes."""
    others = (codes(layer, bias=divided(way)) for way in (np.positive, np.trunc, np.floor))
    return not any(np.array_equal(codes(layer), other) for other in others)


def needs_integers(layer: Layer) -> bool:
    """Whether numbers that were made of the codes first give other codes, from whichever end they
    are added. One sum after the other, so that every machine draws the same layer.
    """
    x = (layer["x"].astype(np.float32) - layer["x_zero"]) * layer["x_scale"]
    w = (layer["w"].astype(np.float32) - layer["w_zero"]) * layer["w_scale"]
    products = [np.outer(column, row) for column, row in zip(x.T, w, strict=True)]
    sums = reduce(np.add, products), reduce(np.add, products[::-1])
    found = (np.rint((each + layer["bias"]) / layer["y_scale"]) + layer["y_zero"] for each in sums)
    return all(np.sum(each != codes(layer)) >= 3 for each in found)


def leaves_sixteen_bits(layer: Layer) -> bool:
    """Whether a sum that wraps at sixteen bits gives other codes."""
    wrapped = codes(layer, sums=lambda total: total.astype(np.int16).astype(np.int64))
    return not np.array_equal(codes(layer), wrapped)


def beyond(layer: Layer) -> tuple[bool, bool]:
    """Whether some output lies below the lowest code of its type, and some above the highest."""
    limits = np.iinfo(layer["y_zero"].dtype)
    steps = np.rint(_bias_and_steps(layer)[1]) + int(layer["y_zero"])
    return bool((steps < limits.min).any()), bool((steps > limits.max).any())


def _bias_and_steps(layer: Layer) -> tuple[np.ndarray, np.ndarray]:
    """The bias in steps of the sum, and the outputs in steps of theirs, before they are rounded."""
    step = layer["x_scale"].astype(np.float64) * layer["w_scale"]
    bias = layer["bias"] / step
    total = (layer["x"].astype(np.int64) - int(layer["x_zero"])) @ (
        layer["w"].astype(np.int64) - layer["w_zero"].astype(np.int64)
    )
    return bias, (total + np.rint(bias)) * (step / layer["y_scale"])


def _is_clear(numbers: np.ndarray, margin: float | np.ndarray) -> bool:
    off = np.abs(numbers - np.floor(numbers) - 0.5)
    return bool(((off == 0) | (off > margin)).all())
