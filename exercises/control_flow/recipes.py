"""The functions that the exercise `control_flow` hands to students, built from a recipe of plain
numbers, which crosses as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

SCORES = {
    "sum": lambda x: x.sum(),
    "max": lambda x: x.max(),
    "range": lambda x: x.max() - x.min(),
    "corners": lambda x: x[0, 0] - x[-1, -1],
}


def branch(recipe: Mapping) -> tuple[Callable, Callable, Callable, object]:
    """predicate, then_fn, else_fn, example: torch functions and a float32 tensor."""
    import torch

    score, offset, reduced = SCORES[recipe["score"]], recipe["offset"], recipe["reduced"]

    def predicate(x):
        return score(x) > offset

    def side(piece):
        function, scale, shift = getattr(torch, piece["name"]), piece["scale"], piece["shift"]
        weight = None if piece["weight"] is None else torch.tensor(piece["weight"])

        def branch(x):
            y = scale * function(x if weight is None else x @ weight) + shift
            return getattr(torch, reduced)(y, dim=1) if reduced else y

        return branch

    return predicate, *map(side, recipe["branches"]), torch.tensor(recipe["example"])


def loop(recipe: Mapping) -> tuple[Callable, object, object]:
    """step, initial, sequence: a torch function of (state, element), and two tensors."""
    import torch

    function, keep, gain = getattr(torch, recipe["name"]), recipe["keep"], recipe["gain"]
    weights = None if recipe["weights"] is None else torch.tensor(recipe["weights"])

    def step(state, element):
        if weights is None:
            return keep * state + function(gain * element)
        return keep * state + (function(element @ weights).sum() > 0).to(torch.int64)

    return step, torch.tensor(recipe["initial"]), torch.tensor(recipe["sequence"])
