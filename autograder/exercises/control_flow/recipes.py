"""The functions that the exercise `control_flow` hands to students, built from a recipe of plain numbers.

A recipe crosses into the runner box as JSON. `branch` and `loop` make torch functions of it; `branch_inputs` and `loop_inputs` draw
what a checker feeds to the exported models, without torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

# The operator of each function in ONNX: its nodes tell where a branch's work is done.
OPERATORS = {"tanh": "Tanh", "sigmoid": "Sigmoid", "sin": "Sin", "cos": "Cos", "atan": "Atan", "exp": "Exp"}
SCORES = {
    "sum": lambda x: x.sum(),
    "max": lambda x: x.max(),
    "range": lambda x: x.max() - x.min(),
    "corners": lambda x: x[0, 0] - x[-1, -1],
}
MARGIN = 0.2


def branch_recipe(rng: np.random.Generator, kind: str, answer: bool) -> dict:
    """Two branches of a kind (`whole`, `rows` or `product`), and an example for which the predicate says `answer`."""
    shape = [int(size) for size in rng.choice(np.arange(2, 7), 2, replace=False)]
    names = [str(name) for name in rng.choice(list(OPERATORS), 2, replace=False)]
    width = int(rng.integers(2, 6))
    recipe = {
        "function": "export_branch",
        "score": str(rng.choice(list(SCORES))),
        "branches": [_piece(rng, name, (shape[1], width) if kind == "product" else None) for name in names],
        "rows": kind == "rows",
        "offset": 0.0,
    }
    values = [_score(recipe, _draw(rng, shape)) for _ in range(99)]
    recipe["offset"] = round(float(np.median(values)), 2)
    return {**recipe, "example": _with_score(rng, recipe, shape, answer).tolist()}


def branch(recipe: Mapping) -> tuple[Callable, Callable, Callable, object]:
    """predicate, then_fn, else_fn, example: torch functions and a float32 tensor."""
    import torch

    def predicate(x):
        return SCORES[recipe["score"]](x) > recipe["offset"]

    def side(piece):
        function, scale, shift = getattr(torch, piece["name"]), piece["scale"], piece["shift"]
        weight = None if piece["weight"] is None else torch.tensor(piece["weight"])

        def apply(x):
            y = scale * function(x if weight is None else x @ weight) + shift
            return y.sum(dim=1) if recipe["rows"] else y

        return apply

    return predicate, *map(side, recipe["branches"]), torch.tensor(recipe["example"])


def branch_inputs(recipe: Mapping, seed: int) -> list[dict[str, np.ndarray]]:
    """Four inputs of the example's shape, for which the predicate says True and False in turn."""
    rng, shape = np.random.default_rng(seed), np.shape(recipe["example"])
    return [{"x": _with_score(rng, recipe, shape, answer)} for answer in (True, False, True, False)]


def loop_recipe(rng: np.random.Generator, kind: str) -> dict:
    """A step of a kind (`decay`, `project`, `largest` or `count`), an initial state, and a sequence of three to six elements."""
    state = {
        "decay": [int(rng.integers(2, 6))],
        "project": [int(rng.integers(2, 5))],
        "largest": [2, int(rng.integers(3, 6))],
        "count": [],
    }[kind]
    element = state if kind in ("decay", "largest") else [int(rng.integers(5, 8))]
    name = str(rng.choice(list(OPERATORS)[:5]))
    width = (state[0], element[0]) if kind == "project" else None
    weights = None if width is None else [_matrix(rng, (width[0], width[0])), _matrix(rng, (width[1], width[0]))]
    recipe = {
        "function": "export_loop",
        "kind": kind,
        "name": name,
        "keep": round(float(rng.uniform(0.4, 0.9)), 2),
        "gain": round(float(rng.uniform(0.5, 1.5)), 2),
        "weights": weights,
        "element": element,
    }
    length = int(rng.integers(3, 7))
    initial = int(rng.integers(1, 9)) if kind == "count" else np.round(rng.normal(size=state), 3).tolist()
    return {**recipe, "initial": initial, "sequence": _sequence(rng, recipe, length).tolist()}


def loop(recipe: Mapping) -> tuple[Callable, object, object]:
    """step, initial, sequence: a torch function of (state, element), and two tensors."""
    import torch

    function, keep, gain = getattr(torch, recipe["name"]), recipe["keep"], recipe["gain"]
    inner, outer = map(torch.tensor, recipe["weights"] or [[0.0], [0.0]])

    def decay(state, element):
        return function(keep * state + gain * element)

    def project(state, element):
        return function(state @ inner + gain * (element @ outer))

    def largest(state, element):
        return torch.maximum(keep * state, function(element))

    def count(state, element):
        return state + (function(element).sum() > 0).to(torch.int64)

    step = {"decay": decay, "project": project, "largest": largest, "count": count}[recipe["kind"]]
    return step, torch.tensor(recipe["initial"]), torch.tensor(recipe["sequence"])


def loop_inputs(recipe: Mapping, seed: int) -> list[dict[str, np.ndarray]]:
    """A fresh state and sequence for four lengths: that of the example, one, a shorter or longer one, and a much longer one."""
    rng, length = np.random.default_rng(seed), len(recipe["sequence"])
    drawn = []
    for steps in (length, 1, length + int(rng.choice([-1, 1, 2])), 2 * length + int(rng.integers(1, 8))):
        if recipe["kind"] == "count":
            state = np.array(rng.integers(1, 99), np.int64)
        else:
            state = rng.normal(size=np.shape(recipe["initial"])).astype(np.float32)
        drawn.append({"state": state, "sequence": _sequence(rng, recipe, steps)})
    return drawn


def _piece(rng: np.random.Generator, name: str, weight: tuple[int, int] | None) -> dict:
    scale, shift = (round(float(number), 2) for number in (rng.uniform(0.5, 2.5), rng.choice([-1, 1]) * rng.uniform(1, 4)))
    return {"name": name, "scale": scale, "shift": shift, "weight": None if weight is None else _matrix(rng, weight)}


def _matrix(rng: np.random.Generator, shape: tuple[int, int]) -> list:
    return np.round(rng.normal(size=shape) / np.sqrt(shape[0]), 3).tolist()


def _draw(rng: np.random.Generator, shape: object) -> np.ndarray:
    return np.clip(rng.normal(size=shape), -3, 3).astype(np.float32)


def _score(recipe: Mapping, x: np.ndarray) -> float:
    return float(SCORES[recipe["score"]](x))


def _with_score(rng: np.random.Generator, recipe: Mapping, shape: object, answer: bool) -> np.ndarray:
    """An x for which the predicate says `answer`, so clearly that no rounding changes it."""
    while True:
        x = np.round(_draw(rng, shape), 3).astype(np.float32)
        distance = _score(recipe, x) - recipe["offset"]
        if abs(distance) > MARGIN and (distance > 0) is answer:
            return x


def _sequence(rng: np.random.Generator, recipe: Mapping, length: int) -> np.ndarray:
    """Elements in which no sum that a step compares with 0 is close to it."""
    elements: list[np.ndarray] = []
    while len(elements) < length:
        element = np.round(_draw(rng, recipe["element"]), 3).astype(np.float32)
        by_numpy = {"tanh": np.tanh, "sin": np.sin, "cos": np.cos, "atan": np.arctan, "sigmoid": lambda x: 1 / (1 + np.exp(-x))}
        if recipe["kind"] != "count" or abs(by_numpy[recipe["name"]](element).sum()) > MARGIN:
            elements.append(element)
    return np.stack(elements)
