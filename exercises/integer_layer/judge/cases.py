"""The cases of `integer_layer`: quantized linear layers of one difficulty each, drawn so that
float32 leaves no doubt about a code.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograder.contract import Case
from exercises.shared.arrays import GIVEN, packed
from exercises.shared.judge import kinds

ID = "integer_layer"
Layer = dict[str, np.ndarray]
# How near to a tie no quotient may come, so that float32 and float64 round it alike.
CLEAR = 2e-4
ATTEMPTS = 200


def _layer(
    rng: np.random.Generator,
    rows: int = 5,
    depth: int = 17,
    columns: int = 4,
    x_type=np.uint8,
    w_type=np.int8,
) -> Layer:
    """A layer with drawn codes. Its outputs use most of their range and go beyond both ends of it."""
    x_limits, w_limits = np.iinfo(x_type), np.iinfo(w_type)
    x = rng.integers(x_limits.min, x_limits.max, (rows, depth), x_type, endpoint=True)
    w = rng.integers(w_limits.min, w_limits.max, (depth, columns), w_type, endpoint=True)
    x_zero = x_type(rng.integers(x_limits.min + 90, x_limits.max - 90))
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
    y_scale, y_zero = np.float32(2.6 * real.std() / 127), np.uint8(rng.integers(100, 150))
    return {
        "x": x, "x_scale": x_scale, "x_zero": x_zero, "w": w, "w_scale": w_scale, "w_zero": w_zero,
        "bias": bias, "y_scale": y_scale, "y_zero": y_zero,
    }  # fmt: skip


def _small_codes(rng: np.random.Generator) -> Layer:
    """Codes near their zero points, and scales that are no small numbers: the bias has other codes
    in every unit.
    """
    layer = _layer(rng)
    layer["x"] = (layer["x_zero"] + rng.integers(-9, 10, layer["x"].shape)).astype(np.uint8)
    layer["w"] = rng.integers(-9, 10, layer["w"].shape).astype(np.int8)
    step = (
        np.float32(rng.uniform(0.5, 0.9)),
        rng.uniform(0.3, 0.6, layer["w"].shape[1]).astype(np.float32),
    )
    bias = rng.uniform(15, 40, len(layer["bias"])) * rng.choice([-1, 1], len(layer["bias"]))
    return layer | {
        "x_scale": step[0],
        "w_scale": step[1],
        "bias": bias.astype(np.float32),
        "y_scale": np.float32(rng.uniform(0.7, 1.2)),
    }


def _signed_weights(rng: np.random.Generator) -> Layer:
    return _layer(rng)


def _unsigned_weights(rng: np.random.Generator) -> Layer:
    """Weights with a zero point, another one for each column."""
    return _layer(rng, w_type=np.uint8)


def _signed_output(rng: np.random.Generator) -> Layer:
    return _layer(rng) | {"y_zero": np.int8(rng.integers(-30, -5))}


def _signed_inputs(rng: np.random.Generator) -> Layer:
    return _layer(rng, x_type=np.int8)


def _deep(rng: np.random.Generator) -> Layer:
    """So many products that their sum leaves sixteen bits, and large codes throughout."""
    layer = _layer(rng, rows=3, depth=300, columns=3)
    return layer | {"x": layer["x"] | np.uint8(128), "w": np.maximum(layer["w"], 90)}


def _one_row(rng: np.random.Generator) -> Layer:
    return _layer(rng, rows=1, depth=9, columns=7)


def _no_bias(rng: np.random.Generator) -> Layer:
    layer = _layer(rng)
    return layer | {"bias": np.zeros_like(layer["bias"])}


def _ties(rng: np.random.Generator) -> Layer:
    """Scales that are powers of two, so that half steps are exact, and an odd zero point of the
    output.
    """
    layer = _layer(rng, rows=6, depth=3, columns=6)
    layer["x"], layer["w"] = (
        rng.integers(100, 160, (6, 3), np.uint8),
        rng.integers(-3, 4, (3, 6), np.int8),
    )
    scales = {
        "x_scale": np.float32(0.25),
        "w_scale": np.full(6, 0.125, np.float32),
        "y_scale": np.float32(0.0625),
    }
    bias = rng.integers(-9, 9, 6).astype(np.float32) * np.float32(0.25 * 0.125)
    return layer | scales | {"bias": bias, "y_zero": np.uint8(2 * rng.integers(50, 70) + 1)}


KINDS: dict[str, Callable[[np.random.Generator], Layer]] = {
    "small-codes": _small_codes,
    "signed-weights": _signed_weights,
    "unsigned-weights": _unsigned_weights,
    "signed-output": _signed_output,
    "deep": _deep,
    "ties": _ties,
    "signed-inputs": _signed_inputs,
    "one-row": _one_row,
    "no-bias": _no_bias,
}
# Their outputs stay within their type: what else is wrong with an answer shows alone. Those of all
# others go beyond it, for every seed.
WITHIN = ("small-codes", "ties")
PUBLIC = ("small-codes", "signed-weights", "unsigned-weights", "signed-output", "deep", "ties")


def _case(name: str, kind: str, seed: int, public: bool) -> Case:
    rng = np.random.default_rng([seed, len(kind)])
    drawn = (KINDS[kind](rng) for _ in range(ATTEMPTS))
    layer = next(layer for layer in drawn if is_clear(layer) and is_cut(layer) != (kind in WITHIN))
    return Case(
        name,
        {GIVEN: packed({key: np.asarray(value) for key, value in layer.items()})},
        {},
        public,
        seed,
    )


public_cases, cases = kinds.all_hidden(_case, ID, KINDS, PUBLIC)


def is_clear(layer: Layer) -> bool:
    """Whether each rounding is a tie for all who compute it, or for nobody."""
    return all(_is_clear(each) for each in _bias_and_steps(layer))


def is_cut(layer: Layer) -> bool:
    """Whether some output lies beyond the ends of its type."""
    limits = np.iinfo(layer["y_zero"].dtype)
    steps = np.rint(_bias_and_steps(layer)[1]) + int(layer["y_zero"])
    return bool(((steps < limits.min) | (steps > limits.max)).any())


def _bias_and_steps(layer: Layer) -> tuple[np.ndarray, np.ndarray]:
    """The bias in steps of the sum, and the outputs in steps of theirs, before they are rounded."""
    step = layer["x_scale"].astype(np.float64) * layer["w_scale"]
    bias = layer["bias"] / step
    total = (layer["x"].astype(np.int64) - int(layer["x_zero"])) @ (
        layer["w"].astype(np.int64) - layer["w_zero"].astype(np.int64)
    )
    return bias, (total + np.rint(bias)) * (step / layer["y_scale"])


def _is_clear(numbers: np.ndarray) -> bool:
    off = np.abs(numbers - np.floor(numbers) - 0.5)
    return bool(((off == 0) | (off > CLEAR)).all())
