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


def _only(given: Arrays) -> np.ndarray:
    [values] = given.values()
    return values


def _frames(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    hidden = np.tanh(_only(given) @ stored["inner"])
    return hidden - hidden.mean(axis=1, keepdims=True)


def _weighted(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    hidden = np.tanh(_only(given) @ stored["inner"])
    return hidden * _softmax(hidden.swapaxes(1, 2)).swapaxes(1, 2)


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


def _gated_past(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    states = given["states"]
    for layer in range(2):
        key, value = given[f"past_{layer}_0"], given[f"past_{layer}_1"]
        gate = 1 / (1 + np.exp(-(states[:, None] * key).sum(axis=-1)))
        states = np.tanh(states - (gate[..., None] * value).mean(axis=1))
    return states * given["options_gain"]


def _checked(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    states = _only(given)
    return np.tanh(states + stored["table"][: states.shape[1]])


def _in_groups(given: Arrays, parts: int) -> np.ndarray:
    samples = _only(given)
    return samples.reshape(len(samples), -1, parts, samples.shape[2])


def _short(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    values = _only(given)
    return np.tanh(values) if len(values) > parts else values - 1


def _long(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    values = _only(given)
    return 2 * values if len(values) <= parts else np.tanh(values)


def _choice(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    values = _only(given)
    return np.tanh(values) if values.sum() > 0 else values - 1


def _turned(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    values = _only(given)
    return np.tanh(-2 * values if values.mean() < 0 else values)


FUNCTIONS: dict[str, Callable[[Arrays, Arrays, int], np.ndarray]] = {
    "head": lambda given, stored, _: np.tanh(_only(given) @ stored["inner"]),
    "frames": _frames,
    "weighted": _weighted,
    "scores": lambda given, stored, _: np.tanh(given["query"] @ stored["square"]) @ given["key"].T,
    "bag": _bag,
    "past": _past,
    "gatedpast": _gated_past,
    "checked": _checked,
    "grouped": lambda given, _, parts: np.tanh(_in_groups(given, parts).sum(axis=2)),
    "largest": lambda given, _, parts: _in_groups(given, parts).max(axis=2),
    "centred": lambda given, _stored, _: _only(given) - _only(given).mean(axis=0),
    "short": _short,
    "long": _long,
    "choice": _choice,
    "turned": _turned,
}
