"""What the modules of `mend_export` compute, in numpy: in float64 it is the truth that a file is held
against, in float32 it says how far rounding may lead.

Those that fail at some of the sizes that are asked for compute nothing that a file could be held
against, and are not here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from formatlab_exercises.mend_export.weights import weights

Arrays = Mapping[str, np.ndarray]


def output(recipe: Mapping, inputs: Arrays, dtype: type = np.float64) -> np.ndarray:
    """The module's output for inputs by the names of `wanted`, computed in `dtype`."""
    stored: Arrays = {name: values.astype(dtype) for name, values in weights(recipe).items()}
    given = {
        name: values.astype(dtype) if values.dtype.kind == "f" else values
        for name, values in inputs.items()
    }
    return FUNCTIONS[recipe["kind"]](given, stored, recipe["parts"])


def _softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _frames(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    hidden = np.tanh(given["frames"] @ stored["inner"])
    return hidden - hidden.mean(axis=1, keepdims=True)


def _bag(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    words = stored["table"][given["batch_ids"]] * given["batch_weight"][..., None]
    return words.sum(axis=1) * given["scale"] + given["shift"]


def _past(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    states = given["states"]
    for layer in range(2):
        key, value = given[f"past_{layer}_0"], given[f"past_{layer}_1"]
        share = _softmax((states[:, None] * key).sum(axis=-1))
        states = np.tanh(states + (share[..., None] * value).sum(axis=1))
    return states * given["options_gain"]


def _checked(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    states = given["states"]
    return np.tanh(states + stored["table"][: states.shape[1]])


def _grouped(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    samples = given["samples"]
    rows, _, width = samples.shape
    return np.tanh(samples.reshape(rows, -1, parts, width).sum(axis=2))


def _short(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    features = given["features"]
    return np.tanh(features) if len(features) > parts else features - 1


def _choice(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    features = given["features"]
    return np.tanh(features) if features.sum() > 0 else features - 1


FUNCTIONS: dict[str, Callable[[Arrays, Arrays, int], np.ndarray]] = {
    "head": lambda given, stored, _: np.tanh(given["features"] @ stored["inner"]),
    "frames": _frames,
    "scores": lambda given, stored, _: np.tanh(given["query"] @ stored["square"]) @ given["key"].T,
    "bag": _bag,
    "past": _past,
    "checked": _checked,
    "grouped": _grouped,
    "centred": lambda given, _stored, _: given["features"] - given["features"].mean(axis=0),
    "short": _short,
    "choice": _choice,
}
