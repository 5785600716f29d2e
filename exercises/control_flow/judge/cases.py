"""The cases of `control_flow`: recipes of plain numbers, and what a checker feeds to the exported
models. No torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from formatlab_exercises.control_flow.recipes import SCORES
from nbjudge.contract import Case, case_seed

ID = "control_flow"
# Each export takes a student's code half a second, so the cases are few, as many of the one function
# as of the other. A branch's kind, and what the predicate says of its example; a loop's kind.
PUBLIC = {"branch": ("whole", True), "loop": ("decay",)}
HIDDEN = {
    "hidden-branch": ("whole", False),
    "hidden-branch-other-example": ("whole", True),
    "hidden-branch-weights": ("product", True),
    "hidden-loop": ("decay",),
    "hidden-loop-matrix": ("matrix",),
    "hidden-loop-whole-numbers": ("bits",),
}
# The operator of each function in ONNX: its nodes tell where a branch's work is done.
OPERATORS = {
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
    "sin": "Sin",
    "cos": "Cos",
    "atan": "Atan",
    "exp": "Exp",
}
ODD = ("tanh", "sin", "atan")  # their sums over random numbers are as often below zero as above
REDUCED = ("sum", "amax")
MARGIN = 0.2
# Elements of a sequence.
LONGEST = 30


def public_cases() -> list[Case]:
    return [_case(name, kind, 0, public=True) for name, kind in PUBLIC.items()]


def cases(seed: int) -> list[Case]:
    return [_case(name, kind, seed) for name, kind in HIDDEN.items()]


def _case(name: str, kind: tuple, seed: int, public: bool = False) -> Case:
    own_seed = case_seed(seed, ID, name)
    draw = loop_recipe if "loop" in name else branch_recipe
    return Case(name, {}, draw(np.random.default_rng(own_seed), *kind), public, own_seed)


def branch_recipe(rng: np.random.Generator, kind: str, answer: bool) -> dict:
    """Two branches of a kind, and an example for which the predicate says `answer`.

    `whole`: the output has the input's shape. `product`: each branch has a matrix of its own, and
    gives one number a row, in a drawn way.
    """
    shape = [int(size) for size in rng.choice(np.arange(2, 7), 2, replace=False)]
    names = [str(name) for name in rng.choice(list(OPERATORS), 2, replace=False)]
    width = int(rng.integers(2, 6))
    recipe = {
        "function": "export_branch",
        "score": str(rng.choice(list(SCORES))),
        "branches": [
            _piece(rng, name, (shape[1], width) if kind == "product" else None) for name in names
        ],
        "reduced": str(rng.choice(REDUCED)) if kind == "product" else "",
        "offset": 0.0,
    }
    values = [_score(recipe, _draw(rng, shape)) for _ in range(99)]
    recipe["offset"] = round(float(np.median(values)), 2)
    return {**recipe, "example": _with_score(rng, recipe, shape, answer).tolist()}


def branch_inputs(recipe: Mapping, seed: int) -> list[dict[str, np.ndarray]]:
    """Four inputs of the example's shape, for which the predicate says True and False in turn."""
    rng, shape = np.random.default_rng(seed), np.shape(recipe["example"])
    return [{"x": _with_score(rng, recipe, shape, answer)} for answer in (True, False, True, False)]


def loop_recipe(rng: np.random.Generator, kind: str) -> dict:
    """A step of a kind (`decay`, `matrix`, which is decay of a matrix, or `bits` of a number to
    the base of two or three), an initial state, and a sequence of three to six elements.

    The order of the elements matters to each, and `decay` forgets none of a few. The state of
    `bits` is a whole number, of another shape than an element, and its step has weights.
    """
    state, element = _loop_shapes(rng, kind)
    name = str(rng.choice(ODD if kind == "bits" else list(OPERATORS)[:5]))
    weights = _matrix(rng, (element[-1], int(rng.integers(3, 6)))) if kind == "bits" else None
    recipe: dict[str, Any] = {"function": "export_loop", "kind": kind, "name": name}
    recipe["keep"] = (
        int(rng.integers(2, 4)) if kind == "bits" else round(float(rng.uniform(0.6, 0.9)), 2)
    )
    recipe["gain"] = round(float(rng.uniform(0.5, 1.5)), 2)
    recipe |= {"weights": weights, "element": element}
    length = int(rng.integers(3, 7))
    is_number = kind == "bits"
    initial = int(rng.integers(1, 9)) if is_number else np.round(rng.normal(size=state), 3).tolist()
    return {**recipe, "initial": initial, "sequence": _sequence(rng, recipe, length).tolist()}


def _loop_shapes(rng: np.random.Generator, kind: str) -> tuple[list[int], list[int]]:
    """Of the state and of an element of the sequence."""
    if kind == "bits":
        return [], [int(rng.integers(6, 9))]
    if kind == "matrix":
        shape = [int(size) for size in rng.integers(2, 5, 2)]
        return shape, shape
    width = int(rng.integers(2, 6))
    return [width], [width]


def loop_inputs(recipe: Mapping, seed: int) -> list[dict[str, np.ndarray]]:
    """A fresh state and sequence for four lengths: that of the example, one, a shorter or longer
    one, and the longest that the task allows.
    """
    rng, length = np.random.default_rng(seed), len(recipe["sequence"])
    drawn = []
    for steps in (
        length,
        1,
        length + int(rng.choice([-1, 1, 2])),
        LONGEST,
    ):
        if recipe["kind"] == "bits":
            state = np.array(rng.integers(1, 99), np.int64)
        else:
            state = rng.normal(size=np.shape(recipe["initial"])).astype(np.float32)
        drawn.append({"state": state, "sequence": _sequence(rng, recipe, steps)})
    return drawn


def _piece(rng: np.random.Generator, name: str, weight: tuple[int, int] | None) -> dict:
    scale, shift = (
        round(float(number), 2)
        for number in (rng.uniform(0.5, 2.5), rng.choice([-1, 1]) * rng.uniform(1, 4))
    )
    return {
        "name": name,
        "scale": scale,
        "shift": shift,
        "weight": None if weight is None else _matrix(rng, weight),
    }


def _matrix(rng: np.random.Generator, shape: tuple[int, int]) -> list:
    return np.round(rng.normal(size=shape) / np.sqrt(shape[0]), 3).tolist()


def _draw(rng: np.random.Generator, shape: Sequence[int]) -> np.ndarray:
    return np.clip(rng.normal(size=shape), -3, 3).astype(np.float32)


def _score(recipe: Mapping, x: np.ndarray) -> float:
    return float(SCORES[recipe["score"]](x))


def _with_score(
    rng: np.random.Generator, recipe: Mapping, shape: Sequence[int], answer: bool
) -> np.ndarray:
    """An x for which the predicate says `answer`, so clearly that no rounding changes it."""
    while True:
        x = np.round(_draw(rng, shape), 3).astype(np.float32)
        distance = _score(recipe, x) - recipe["offset"]
        if abs(distance) > MARGIN and (distance > 0) is answer:
            return x


def _sequence(rng: np.random.Generator, recipe: Mapping, length: int) -> np.ndarray:
    """Elements in which no sum that a step compares with 0 is close to it."""
    by_numpy: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "tanh": np.tanh,
        "sin": np.sin,
        "atan": np.arctan,
    }
    elements: list[np.ndarray] = []
    while len(elements) < length:
        element = np.round(_draw(rng, recipe["element"]), 3).astype(np.float32)
        if recipe["kind"] == "bits":
            seen = by_numpy[recipe["name"]](element @ np.asarray(recipe["weights"]))
            if abs(seen.sum()) <= MARGIN:
                continue
        elements.append(element)
    return np.stack(elements)
