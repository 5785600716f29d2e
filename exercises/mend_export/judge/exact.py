"""What the modules of `mend_export` compute, in numpy in float64: the truth that a file is held against,
and how far rounding may lead from it.

Those that fail at some of the sizes that are asked for compute nothing that a file could be held
against, and are not here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from formatlab_exercises.mend_export.weights import weights

Arrays = Mapping[str, np.ndarray]


# In how many draws every number is rounded at random: the largest move of so many is close to the
# largest that there is.
DRAWS = 8


def output(recipe: Mapping, inputs: Arrays) -> np.ndarray:
    """Return the module's output in float64 for inputs by the names of `wanted`."""
    return _computed(recipe, inputs, _in_float64)


def sensitivity(recipe: Mapping, inputs: Arrays) -> float:
    """Return how far the output moves, in float64, where every number that goes in is off by up to half
    a step of float32. A float32 run on one processor would give the noise of that processor instead,
    which another one misses by a factor of three.
    """
    right = output(recipe, inputs)
    rng = np.random.default_rng(0)
    half = float(np.finfo(np.float32).eps) / 2

    def rounded(values: np.ndarray) -> np.ndarray:
        exact = _in_float64(values)
        off = rng.uniform(-half, half, values.shape)
        return exact * (1 + off) if values.dtype.kind == "f" else exact

    moved = (_computed(recipe, inputs, rounded) - right for _ in range(DRAWS))
    return max(float(np.abs(each).max(initial=0)) for each in moved)


def _in_float64(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float64) if values.dtype.kind == "f" else values


def _computed(
    recipe: Mapping, inputs: Arrays, number: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    stored = {name: number(values) for name, values in weights(recipe).items()}
    given = {name: number(values) for name, values in inputs.items()}
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
    return states * given["options_last_gain_0"]


def _gated_past(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    states = given["states"]
    for layer in range(2):
        key, value = given[f"past_{layer}_0"], given[f"past_{layer}_1"]
        gate = 1 / (1 + np.exp(-(states[:, None] * key).sum(axis=-1)))
        states = np.tanh(states - (gate[..., None] * value).mean(axis=1))
    return states * given["options_last_gain_0"]


def _checked(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    states = _only(given)
    return np.tanh(states + stored["table"][: states.shape[1]])


def _scores(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    query, key = given.values()
    return np.tanh(query @ stored["square"]) @ key.T


def _seated(given: Arrays, stored: Arrays, parts: int) -> np.ndarray:
    states = _only(given)
    return np.tanh(states - stored["table"][: states.shape[1]])


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
    "scores": _scores,
    "bag": _bag,
    "past": _past,
    "gatedpast": _gated_past,
    "adjacent": lambda given, _stored, _: np.tanh(_only(given) @ _only(given)),
    "checked": _checked,
    "seated": _seated,
    "grouped": lambda given, _, parts: np.tanh(_in_groups(given, parts).sum(axis=2)),
    "largest": lambda given, _, parts: _in_groups(given, parts).max(axis=2),
    "centred": lambda given, _stored, _: _only(given) - _only(given).mean(axis=0),
    "short": _short,
    "long": _long,
    "choice": _choice,
    "turned": _turned,
}
