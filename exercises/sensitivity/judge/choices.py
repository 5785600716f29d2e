"""What a choice of layers gives: the quantized model with these layers in float, and its SQNR."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
from onnx import ModelProto

from formatlab import quantized
from formatlab.models import to_bytes
from formatlab.numerics import Feeds
from formatlab_exercises.shared.judge import twins

# The SQNR in dB where these layers are in float.
Measure = Callable[[Collection[str]], float]
IMAGES = 160
# In dB. So far one choice is ahead of another on the images that a student gets, so that a search
# finds it, and on those of the check, where an answer may be a decibel below the best.
SEEN, CHECKED = 0.2, 1.25
# In dB. What a layer brings that no search misses.
MUCH = 10.0


def fresh(model: bytes, seed: int) -> dict[str, np.ndarray]:
    """The images that the SQNR of an answer is measured on."""
    return twins.feeds(model, np.random.default_rng([seed, 2]), IMAGES)


def measure(model: bytes, small: bytes, feeds: Feeds) -> Measure:
    """The SQNR on some feeds; the two models use no name for different tensors, as `twins` makes
    them.
    """
    [[wanted]] = quantized.evaluate(model, [feeds])

    def sqnr(chosen: Collection[str]) -> float:
        [[found]] = quantized.evaluate(in_float(model, small, chosen), [feeds])
        return quantized.sqnr(np.asarray(wanted), np.asarray(found))

    return sqnr


def in_float(model: bytes, small: bytes, chosen: Collection[str]) -> bytes:
    """`small` with some layers as in `model`; see `measure` on names."""
    floats, mixed = ModelProto.FromString(model), ModelProto.FromString(small)
    before = {node.name: node for node in floats.graph.node}
    for node in mixed.graph.node:
        if node.name in chosen:
            node.input[:] = before[node.name].input
    read = {name for node in mixed.graph.node for name in node.input}
    there = {tensor.name for tensor in mixed.graph.initializer}
    mixed.graph.initializer.extend(
        tensor for tensor in floats.graph.initializer if tensor.name in read - there
    )
    return to_bytes(mixed)


def stands_out(layer: str, seen: Measure, checked: Measure) -> bool:
    """Whether a layer brings so much that it is first for each of its bytes, too."""
    return all(sqnr([layer]) > sqnr([]) + MUCH for sqnr in (seen, checked))


def beat_the_best_layer(
    chosen: Collection[str], layer: str, seen: Measure, checked: Measure
) -> bool:
    """Whether `layer` brings more than each of the `chosen` ones alone, and less than they bring
    together.
    """
    return (
        all(seen([layer]) > seen([one]) + SEEN for one in chosen)
        and seen(chosen) > seen([layer]) + SEEN
        and checked(chosen) > checked([layer]) + CHECKED
    )


def beats_the_cheap_layer(
    large: str, cheap: str, times: float, seen: Measure, checked: Measure
) -> bool:
    """Whether the `cheap` layer brings less than the `large` one, and yet more for each byte: the
    large one takes so many `times` the bytes.
    """
    none = seen([])
    return (
        seen([large]) > seen([cheap]) + SEEN
        and times * (seen([cheap]) - none) > seen([large]) - none + SEEN
        and checked([large]) > checked([cheap]) + CHECKED
    )
