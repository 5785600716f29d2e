"""The cases of `mend_export`: recipes of small modules, as plain numbers, and the inputs that a
checker feeds to the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from formatlab_exercises.mend_export.judge import exact
from formatlab_exercises.mend_export.weights import draw
from nbjudge.contract import Case, case_seed

ID = "mend_export"
# What an open size is where a run asks for a large one and no limit holds it.
LARGE = 23
# Stands for the recipe's width.
WIDTH = -1


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A module, the signature that its file shall have, and the sizes of the example.

    `limits` may say "table" for a size, which is the length of the module's table; `parts` is the
    module's own number, a group or a bound. `refused` says that no file is right.
    """

    module: str
    wanted: Mapping[str, list]
    example: Mapping[str, int]
    limits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    parts: int = 1
    refused: bool = False


ROWS: Mapping[str, list] = {"features": ["rows", WIDTH]}
STEPS: Mapping[str, list] = {"states": ["rows", "steps", WIDTH]}
SAMPLES: Mapping[str, list] = {"samples": ["rows", "samples", WIDTH]}
PAIR = ["rows", "past", WIDTH]

PUBLIC = {
    "one-row": Kind(module="head", wanted=ROWS, example={"rows": 1}),
    "equal-by-chance": Kind(
        module="scores",
        wanted={"query": ["queries", WIDTH], "key": ["keys", WIDTH]},
        example={"queries": 3, "keys": 3},
    ),
    "nested": Kind(
        module="bag",
        wanted={
            "batch_ids": ["rows", 4],
            "batch_weight": ["rows", 4],
            "shift": ["rows", 1],
            "scale": ["rows", 1],
        },
        example={"rows": 3},
    ),
    "between": Kind(
        module="checked",
        wanted=STEPS,
        example={"rows": 2, "steps": 6},
        limits={"steps": {"min": 4, "max": "table"}},
        parts=4,
    ),
    "in-pairs": Kind(
        module="grouped",
        wanted=SAMPLES,
        example={"rows": 3, "samples": 4},
        limits={"samples": {"multiple": 2}},
        parts=2,
    ),
    "refuse-counted": Kind(module="centred", wanted=ROWS, example={"rows": 3}, refused=True),
    "refuse-mask": Kind(
        module="masked", wanted=STEPS, example={"rows": 2, "steps": 5}, refused=True
    ),
    "refuse-tied": Kind(
        module="sum",
        wanted={"left": ["rows", WIDTH], "right": ["others", WIDTH]},
        example={"rows": 3, "others": 3},
        refused=True,
    ),
    "refuse-unlimited": Kind(
        module="positions", wanted=STEPS, example={"rows": 2, "steps": 5}, refused=True
    ),
}
HIDDEN = {
    "hidden-two-ones": Kind(
        module="frames",
        wanted={"frames": ["rows", "steps", WIDTH]},
        example={"rows": 1, "steps": 1},
    ),
    "hidden-in-threes": Kind(
        module="grouped",
        wanted=SAMPLES,
        example={"rows": 2, "samples": 3},
        limits={"samples": {"multiple": 3}},
        parts=3,
    ),
    "hidden-nested-deeper": Kind(
        module="past",
        wanted={
            "states": ["rows", WIDTH],
            **{f"past_{layer}_{part}": PAIR for layer in (0, 1) for part in (0, 1)},
            "options_gain": [WIDTH],
        },
        example={"rows": 2, "past": 3},
    ),
    "hidden-refuse-few": Kind(
        module="short", wanted=ROWS, example={"rows": 6}, parts=4, refused=True
    ),
    "hidden-refuse-choice": Kind(module="choice", wanted=ROWS, example={"rows": 3}, refused=True),
}
ALL = {**PUBLIC, **HIDDEN}
WIDTHS = np.arange(5, 10)


def public_cases() -> list[Case]:
    return [_case(name, kind, 0, public=True) for name, kind in PUBLIC.items()]


def cases(seed: int) -> list[Case]:
    return [_case(name, kind, seed) for name, kind in HIDDEN.items()]


def inputs(case: Case) -> list[dict[str, np.ndarray]]:
    """Fresh inputs by name, of five sets of sizes: the example's, the smallest ones, and three in
    which no two are equal. The modules that choose by a value get sums of either sign.
    """
    rng = np.random.default_rng(case.seed)
    drawn = [draw(case.parameters, sizes, rng) for sizes in sizes_of(case, rng)]
    if case.parameters["kind"] == "choice":
        for run, values in enumerate(drawn):
            sign = 1 if run % 2 else -1
            values["features"] = (sign * np.abs(values["features"])).astype(np.float32)
    return drawn


def sizes_of(case: Case, rng: np.random.Generator) -> list[dict[str, int]]:
    recipe = case.parameters
    names = list(recipe["example"])
    limits = {name: recipe["limits"].get(name, {}) for name in names}
    steps = {name: limits[name].get("multiple", 1) for name in names}
    least = {name: max(limits[name].get("min", 1), steps[name]) for name in names}
    others = []
    for begin in (2, 5, LARGE):
        taken: dict[str, int] = {}
        for place, name in enumerate(rng.permutation(names).tolist()):
            size = steps[name] * (begin + place)
            largest = limits[name].get("max", size)
            taken[name] = max(least[name], min(size, largest))
        others.append(taken)
    return [dict(recipe["example"]), least, *others]


def has_an_output(case: Case) -> bool:
    """Whether the module computes something for each size that `wanted` and `limits` allow."""
    recipe = case.parameters
    return recipe["kind"] in exact.FUNCTIONS


def _case(name: str, kind: Kind, seed: int, public: bool = False) -> Case:
    own_seed = case_seed(seed, ID, name)
    rng = np.random.default_rng(own_seed)
    width, hidden = (int(size) for size in rng.choice(WIDTHS, 2, replace=False))
    table = int(rng.integers(14, 20))
    recipe = {
        "kind": kind.module,
        "wanted": {
            each: [width if axis == WIDTH else axis for axis in axes]
            for each, axes in kind.wanted.items()
        },
        "below": {"batch_ids": table} if kind.module == "bag" else {},
        "example": dict(kind.example),
        "limits": {
            each: {key: table if most == "table" else most for key, most in bounds.items()}
            for each, bounds in kind.limits.items()
        },
        "parts": kind.parts,
        "width": width,
        "hidden": hidden,
        "table": table,
        "weights": int(rng.integers(1 << 31)),
        "refused": kind.refused,
    }
    return Case(name, {}, recipe, public, own_seed)
