"""Findings of `int8_static` about the numbers: too much noise, and where it comes from."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto
from onnx.numpy_helper import to_array

from formatlab_exercises.int8_static.ask import CALIBRATION, unpacked
from formatlab_exercises.int8_static.judge.findings import CALIBRATE
from formatlab_exercises.int8_static.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.models import name_of
from formatlab_exercises.shared.judge.quantized_census import census
from nbjudge.contract import Case, Finding

# An input's range that is so many times narrower, or wider, than that of the calibration images was
# not taken from them.
NARROW, WIDE, FAR_WIDER = 0.7, 2.5, 50.0
# So far, in ranges of the images, an end of the stored range may lie from that of the images.
OUTSIDE, CUT = 0.25, 0.1
# And so far an end that is the last feed's, as a scale and a zero point can store it.
NEAR = 0.01
# A zero point there makes the range symmetric, and then one end lies where it may.
CENTRES = (127, 128)
TRIMMED = "The range is narrower than that of the images, and what lies outside is cut off: too few images, or a rule that trims."


def noisy(case: Case, model: ModelProto, value: float, limit: float) -> Finding:
    """Too much noise: the input's range, then the scales of the weights, tell where it comes from."""
    expected = "the SQNR that the library reaches with min-max calibration, minus 8 dB"
    if case.public:
        expected = f"on fresh images an SQNR of {limit:.1f} dB or more"
    for name, scale, zero in _input_scales(model):
        if (cause := _wrong_range(seen := _range(case, name), _stored(scale, zero))) is not None:
            if np.allclose(
                _stored(scale, zero), _of_the_last(case, name), atol=NEAR * np.ptp(seen)
            ):
                cause = (Mistakes.last_feed,)
            stored = _told(name, scale, zero, seen) if case.public else ""
            return Finding(expected, f"{value:.1f} dB{stored}", *cause)
    whole = [layer for layer in census(model).layers if not layer.per_channel]
    whole_cause = Mistakes.distribution
    if whole and "rescaled" in case.name:
        whole_cause = Mistakes.per_tensor.told(count=len(whole))
    return Finding(expected, f"{value:.1f} dB", whole_cause)


def other_range(case: Case, model: ModelProto) -> Finding | None:
    """A range of an input that goes beyond its images at both ends. They were not what calibration
    saw, although the noise may still be small enough.
    """
    for name, scale, zero in _input_scales(model):
        (low, high), stored = _range(case, name), _stored(scale, zero)
        most = OUTSIDE * (high - low)
        if zero not in CENTRES and stored[0] < low - most and stored[1] > high + most:
            found = "a range that goes far beyond the images at both ends"
            if case.public:
                found += _told(name, scale, zero, (low, high))
            expected = "ranges of the inputs as the calibration feeds have them"
            return Finding(expected, found, Mistakes.other_units)
    return None


def _range(case: Case, name: str) -> tuple[float, float]:
    """Of the values of an input, in all calibration images, and zero."""
    images = [feeds[name] for feeds in unpacked(case.files[CALIBRATION]) if name in feeds]
    return _ends(np.concatenate(images))


def _of_the_last(case: Case, name: str) -> tuple[float, float]:
    """Of the values of an input, in the last feed alone, and zero."""
    *_, last = unpacked(case.files[CALIBRATION])
    return _ends(last[name])


def _ends(values: np.ndarray) -> tuple[float, float]:
    return min(float(values.min()), 0.0), max(float(values.max()), 0.0)


def _wrong_range(seen: tuple[float, float], stored: tuple[float, float]) -> tuple | None:
    """The cause of a stored range where the images have another, and the section if the cause names
    none.
    """
    needed, span = seen[1] - seen[0], stored[1] - stored[0]
    if span > FAR_WIDER * needed:
        return (Mistakes.zeros,)
    if span > WIDE * needed:
        return (Mistakes.other_units,)
    if span < NARROW * needed:
        shrunk = all(
            abs(end) < abs(want) / 2 for end, want in zip(stored, seen, strict=True) if want
        )
        return (Mistakes.other_units,) if shrunk else (TRIMMED, CALIBRATE)
    cut = max(stored[0] - seen[0], seen[1] - stored[1])
    return (Mistakes.zero_point,) if cut > CUT * needed else None


def _stored(scale: float, zero: int) -> tuple[float, float]:
    return -zero * scale, (255 - zero) * scale


def _told(name: str, scale: float, zero: int, ends: tuple[float, float]) -> str:
    low, high = _stored(scale, zero)
    stored = f"input {name_of(name)} is stored from {low:.3g} to {high:.3g}"
    return f"; {stored}, and its images go from {ends[0]:.3g} to {ends[1]:.3g}"


def _input_scales(model: ModelProto) -> list[tuple[str, float, int]]:
    """(input, scale, steps below zero) of every QuantizeLinear that reads a graph input with a
    constant scale for the whole of it.
    """
    constants = {tensor.name: to_array(tensor) for tensor in model.graph.initializer}
    constants |= {
        node.output[0]: to_array(node.attribute[0].t)
        for node in model.graph.node
        if node.op_type == "Constant" and node.attribute[0].HasField("t")
    }
    # An initializer may stand among the inputs; no feed has it.
    names, found = {value.name for value in model.graph.input} - constants.keys(), []
    for node in model.graph.node:
        if (
            node.op_type == "QuantizeLinear"
            and node.input[0] in names
            and np.size(constants.get(node.input[1], ())) == 1
        ):
            zero = constants.get(node.input[2], np.uint8(0)) if len(node.input) > 2 else np.uint8(0)
            if np.asarray(zero).dtype in (np.int8, np.uint8) and np.size(zero) == 1:
                below = int(np.reshape(zero, ())) - int(np.iinfo(np.asarray(zero).dtype).min)
                found.append(
                    (node.input[0], float(np.reshape(constants[node.input[1]], ())), below)
                )
    return found
