"""The cases of the exercise `int8_static`: the digits CNN, the same with rescaled channels, and
CNNs drawn anew for every seed.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from onnx import ModelProto, TensorProto, numpy_helper

from formatlab import numerics, quantized
from formatlab.models import fixtures, to_bytes
from formatlab.models.perturb import perturbed
from formatlab.numerics import Feeds
from formatlab_exercises.int8_static.ask import CALIBRATION, MODEL
from formatlab_exercises.int8_static.judge import case_models, images, spelling
from formatlab_exercises.shared.judge.descriptions import descriptions
from nbjudge.contract import Case, case_seed

ID = "int8_static"
# Decades, to both sides, by which the channels of a layer differ. At these the scale of a whole
# weight loses what each channel's keeps.
DIGITS_DECADES, DECADES = 0.85, 0.6
# In dB: the SQNR of the rescaled digits CNN, where each weight is rounded with one scale, is at most
# this. The reference keeps 23 or more, and an answer may be 8 below.
ONE_SCALE_KEEPS = 14.0
BATCHES = (4, 8)
LAYERS = ("Conv", "Gemm")
# About the unit of a case's images, in those that its network was made for. No range but that of
# the images themselves fits a hidden case, whatever a student has seen of the public ones.
LARGE, SMALLER, SMALL = 40.0, 1 / 5, 1 / 40
UNITS = {
    "digits-new-weights": SMALLER,
    "digits-rescaled-new-weights": SMALL,
    "residual": SMALL,
    "depthwise": LARGE,
    "pooled": SMALL,
    "two-inputs": LARGE,
    "two-inputs-new": SMALL,
    "rescaled": LARGE,
}
DESCRIPTIONS = descriptions(case_models.KINDS)
DESCRIPTIONS["digits"] = "The CNN of the baseline."
DESCRIPTIONS["digits-new-weights"] = "The CNN of the baseline, with other weights."
DESCRIPTIONS |= dict.fromkeys(
    ("digits-rescaled", "digits-rescaled-new-weights"),
    "The same function as before, its channels rescaled.",
)


def public_cases() -> list[Case]:
    digits = fixtures.read("digits-cnn")
    other = rescaled(digits, DIGITS_DECADES, np.random.default_rng([0, 3]))
    return [
        _case("digits", digits, 0, {}, public=True),
        _case("digits-rescaled", other, 0, {}, public=True),
        _drawn("two-inputs", "two-inputs", 0, public=True),
    ]


def cases(seed: int) -> list[Case]:
    names = ("residual", "depthwise", "pooled", "two-inputs", "rescaled")
    drawn = [
        _drawn(f"{name}-new" if name == "two-inputs" else name, name, case_seed(seed, ID, name))
        for name in names
    ]
    plain = case_seed(seed, ID, "digits-new-weights")
    digits = _case("digits-new-weights", perturbed(fixtures.read("digits-cnn"), plain), plain, {})
    name = "digits-rescaled-new-weights"
    own_seed = case_seed(seed, ID, name)
    other = perturbed(fixtures.read("digits-cnn"), own_seed)
    rng = np.random.default_rng([own_seed, 3])
    while True:
        rescaled_digits = _case(name, rescaled(other, DIGITS_DECADES, rng), own_seed, {})
        if _kept_by_one_scale(rescaled_digits) <= ONE_SCALE_KEEPS:
            return [digits, rescaled_digits, *drawn]


def _kept_by_one_scale(case: Case) -> float:
    """The SQNR in dB that is left where each weight is rounded to 8 bits with one scale for all of
    its channels, and nothing else is.
    """
    model, feeds = ModelProto.FromString(case.files[MODEL]), images.fresh(case)[:1]
    read = {node.input[1] for node in model.graph.node if node.op_type in LAYERS}
    for tensor in model.graph.initializer:
        if tensor.name in read:
            weight = numpy_helper.to_array(tensor)
            scale = np.abs(weight).max() / 127
            rounded = (np.rint(weight / scale) * scale).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(rounded, tensor.name))
    wanted, found = (
        numerics.run(data, feeds)[0][0][0] for data in (case.files[MODEL], to_bytes(model))
    )
    return quantized.sqnr(wanted, found)


def rescaled(data: bytes, decades: float, rng: np.random.Generator) -> bytes:
    """The digits CNN, with the channels of both convolutions times 10^u, u from -decades to
    decades, and the next layer undoing it.
    """
    model = ModelProto.FromString(data)
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    layers = [node for node in model.graph.node if node.op_type in LAYERS]
    for layer, after in pairwise(layers[:3]):
        weight, bias, following = (tensors[name] for name in (*layer.input[1:3], after.input[1]))
        factor = 10.0 ** rng.permutation(np.linspace(-decades, decades, bias.dims[0]))
        _multiply(weight, factor.reshape(-1, 1, 1, 1))
        _multiply(bias, factor)
        # A Gemm reads a channel as so many numbers in a row as the channel has pixels.
        undone = np.repeat(1 / factor, following.dims[1] // len(factor))
        _multiply(following, undone.reshape(1, -1, *[1] * (len(following.dims) - 2)))
    return to_bytes(model)


def in_unit(data: bytes, unit: float) -> bytes:
    """The same network for images that are `unit` times as large: each layer that reads an input
    undoes it.
    """
    model = ModelProto.FromString(data)
    inputs = {value.name for value in model.graph.input}
    readers = {node.input[1] for node in model.graph.node if node.input[0] in inputs}
    for tensor in model.graph.initializer:
        if tensor.name in readers:
            _multiply(tensor, np.float64(1 / unit))
    return to_bytes(model)


def _multiply(tensor: TensorProto, factor: np.ndarray | np.float64) -> None:
    tensor.CopyFrom(
        numpy_helper.from_array(
            (numpy_helper.to_array(tensor) * factor).astype(np.float32), tensor.name
        )
    )


def _drawn(name: str, kind: str, seed: int, public: bool = False) -> Case:
    rng = np.random.default_rng([seed, sum(name.encode())])
    data = to_bytes(case_models.build(kind, rng, DECADES))
    # Neither symmetric nor from 0, as pixels are once a mean was taken off, and so far to one side
    # that the darkest images have a small part of it.
    ranges = {
        value: [float(rng.uniform(-0.5, -0.1)), float(rng.uniform(1.5, 4))]
        for value in images.shapes_of(data)
    }
    return _case(name, data, seed, ranges, public)


def _brightest_second(feeds: list[Feeds]) -> list[Feeds]:
    """The last feed, which has the brightest images, moved to the second place, and the first,
    which has the darkest, to the last: none of the first, the last and every other one has the
    range.
    """
    darkest, first, *rest, brightest = feeds
    return [first, brightest, *rest, darkest]


def _case(name: str, data: bytes, seed: int, ranges: images.Ranges, public: bool = False) -> Case:
    rng = np.random.default_rng([seed, 4])
    batches = int(rng.integers(*BATCHES, endpoint=True))
    unit = UNITS[name] * float(rng.uniform(0.7, 1.4)) if name in UNITS else 1.0
    data = spelling.spelled(name, in_unit(data, unit))
    feeds = images.calibration(images.shapes_of(data), ranges, unit, seed, batches)
    if ranges:
        feeds = _brightest_second(feeds)
    return Case(
        name,
        {MODEL: data, CALIBRATION: images.packed(feeds)},
        {"ranges": dict(ranges), "unit": unit},
        public=public,
        seed=seed,
    )
