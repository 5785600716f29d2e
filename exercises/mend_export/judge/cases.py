"""The cases of `mend_export`: small modules, each as its source and numbers, and the inputs that a
checker feeds to the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from formatlab_exercises.mend_export.judge import exact
from formatlab_exercises.mend_export.weights import draw
from formatlab_exercises.shared.handed import SOURCE
from formatlab_exercises.shared.judge import sources
from nbjudge.contract import Case, case_seed

ID = "mend_export"
MODULES = Path(__file__).with_name("modules.py")
CLASSES = {name.lower(): name for name in sources.classes(MODULES)}
# What an open size is where a run asks for a large one and no limit holds it.
LARGE = 23
# Stands for the recipe's width.
WIDTH = -1


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A module, the signature that its file shall have, and the sizes of the example.

    `limits` may say "table" for a size, which is the length of the module's table, or "beyond", which
    is one more; `parts` is the
    module's own number, a group or a bound. `call` says how the arguments and the keywords are made
    of the inputs, where they are nested. `refused` says that no file is right.
    """

    module: str
    wanted: Mapping[str, list]
    example: Mapping[str, int]
    limits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    parts: int = 1
    call: tuple[list, dict] | None = None
    refused: bool = False


ROWS: Mapping[str, list] = {"features": ["rows", WIDTH]}
STEPS: Mapping[str, list] = {"states": ["rows", "steps", WIDTH]}
SAMPLES: Mapping[str, list] = {"samples": ["rows", "samples", WIDTH]}
BAG: tuple[list, dict] = (
    [{"ids": "batch_ids", "weight": "batch_weight"}],
    {"shift": "shift", "scale": "scale"},
)
# The inputs of a file stand in the order of the call, and `wanted` need not: its order is another here.
IN_FORWARDS_ORDER: Mapping[str, list] = {
    "batch_ids": ["rows", 4],
    "batch_weight": ["rows", 4],
    "scale": ["rows", 1],
    "shift": ["rows", 1],
}
PAST: tuple[list, dict] = (
    ["states", [{"tuple": [f"past_{layer}_0", f"past_{layer}_1"]} for layer in range(2)]],
    {"options": {"last": {"gain": ["options_last_gain_0"]}}},
)
# The signature of a module that is called with PAST.
DEEPER_FORM: Mapping[str, list] = {
    "states": ["rows", WIDTH],
    **{f"past_{layer}_{part}": ["rows", "past", WIDTH] for layer in (0, 1) for part in (0, 1)},
    "options_last_gain_0": [WIDTH],
}

DEEPER = ("past", "gatedpast")
# Arguments of the modules of two inputs, which have the names that a case gives them.
ARGUMENTS = {
    "scores": ("query", "key"),
    "sum": ("left", "right"),
    "bag": (),
    **dict.fromkeys(DEEPER, ()),
}

PUBLIC = {
    "one-row": Kind(module="head", wanted=ROWS, example={"rows": 1}),
    "equal-by-chance": Kind(
        module="scores",
        wanted={"query": ["queries", WIDTH], "key": ["keys", WIDTH]},
        example={"queries": 3, "keys": 3},
    ),
    "nested": Kind(
        module="bag",
        wanted=IN_FORWARDS_ORDER,
        example={"rows": 3},
        call=BAG,
    ),
    "nested-deeper": Kind(
        module="past",
        wanted=DEEPER_FORM,
        example={"rows": 2, "past": 3},
        parts=4,
        call=PAST,
    ),
    "between": Kind(
        module="checked",
        wanted=STEPS,
        example={"rows": 2, "steps": 6},
        limits={"steps": {"min": 4, "max": "table"}},
        parts=4,
    ),
    "one-limit": Kind(
        module="seated",
        wanted=STEPS,
        example={"rows": 5, "steps": 6},
        limits={"rows": {"min": 4}, "steps": {"max": "table"}},
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
# A hidden kind is one of these modules. What a student is handed of a module that has no right file,
# but for the module, is what comes with one that has: so neither the names, nor the sizes of the
# example, nor the limits tell which.
USUAL, IN_THREES = ("frames", "weighted"), ("grouped", "largest")
# Functions of torch that a hidden module names, whether it calls them or not.
MENTIONED = ("amax", "mean", "sigmoid", "softmax", "sum", "tanh", "reshape", "unsqueeze")
FEW, CHOICE = ("short", "long"), ("choice", "turned")
INPUTS = ("features", "frames", "samples", "signal", "states", "tokens")
AXES = ("frames", "items", "places", "samples", "steps")
WIDTHS = np.arange(5, 10)


def public_cases() -> list[Case]:
    return [_case(name, kind, 0, public=True) for name, kind in PUBLIC.items()]


def cases(seed: int) -> list[Case]:
    kinds = _hidden(np.random.default_rng(case_seed(seed, ID, "kinds")))
    return [_case(f"hidden-{name}", kind, seed) for name, kind in kinds.items()]


def _hidden(rng: np.random.Generator) -> dict[str, Kind]:
    """The kinds of the hidden cases, by their names."""

    def drawn(several: tuple[str, ...]) -> str:
        return str(rng.choice(several))

    def form(*, sizes: tuple[int, int], **limits: Mapping[str, Any]) -> dict[str, Any]:
        """One input with an axis of rows and another one, and the limits of these two."""
        axis = drawn(AXES)
        named = {"rows" if place == "rows" else axis: limit for place, limit in limits.items()}
        return {
            "wanted": {drawn(INPUTS): ["rows", axis, WIDTH]},
            "example": {"rows": sizes[0], axis: sizes[1]},
            "limits": named,
        }

    def pair() -> dict[str, Any]:
        """Two inputs whose rows are two sizes, which are equal in the example."""
        inputs, axes = (rng.permutation(names)[:2].tolist() for names in (INPUTS, AXES))
        wanted = {name: [axis, WIDTH] for name, axis in zip(inputs, axes, strict=True)}
        return {"wanted": wanted, "example": dict.fromkeys(axes, 3)}

    def between() -> dict[str, Any]:
        return {**form(sizes=(2, 6), other={"min": 4, "max": "table"}), "parts": 4}

    usual, ones = (2, 5), form(sizes=(1, 1)) | {"parts": 4}
    threes = form(sizes=(2, 3), other={"multiple": 3}) | {"parts": 3}
    few, choice = (ones, threes) if rng.integers(2) else (threes, ones)
    one_limit = form(sizes=(5, 6), rows={"min": 4}, other={"max": "table"}) | {"parts": 4}
    return {
        "usual": Kind(module=drawn(USUAL), **form(sizes=usual)),
        "two-ones": Kind(module=drawn(USUAL), **ones),
        "equal-by-chance": Kind(module="scores", **pair()),
        "one-word-twice": Kind(
            module="adjacent",
            wanted={drawn(INPUTS): ["rows", "places", "places"]},
            example={"rows": 3, "places": 3},
        ),
        "nested-deeper": Kind(
            module=drawn(DEEPER),
            wanted=DEEPER_FORM,
            example={"rows": 2, "past": 3},
            parts=4,
            call=PAST,
        ),
        "keywords": Kind(module="bag", wanted=IN_FORWARDS_ORDER, example={"rows": 2}, call=BAG),
        "between": Kind(module="checked", **between()),
        "one-limit": Kind(module="seated", **one_limit),
        "in-threes": Kind(module=drawn(IN_THREES), **threes),
        "refuse-counted": Kind(module="centred", refused=True, **form(sizes=usual)),
        "refuse-mask": Kind(module="masked", refused=True, **between()),
        "refuse-tied": Kind(module="sum", refused=True, **pair()),
        "refuse-unlimited": Kind(module="positions", refused=True, **form(sizes=usual)),
        "refuse-beyond": Kind(
            module="positions",
            refused=True,
            **form(sizes=(2, 6), other={"min": 4, "max": "beyond"}),
        ),
        "refuse-few": Kind(module=drawn(FEW), refused=True, **few),
        "refuse-choice": Kind(module=drawn(CHOICE), refused=True, **choice),
    }


def inputs(case: Case) -> list[dict[str, np.ndarray]]:
    """Fresh inputs by name, of five sets of sizes: the example's, the smallest ones, and three in
    which no two are equal. The modules that choose by a value get sums of either sign.
    """
    rng = np.random.default_rng(case.seed)
    drawn = [draw(case.parameters, sizes, rng) for sizes in sizes_of(case, rng)]
    if case.parameters["kind"] in CHOICE:
        for run, values in enumerate(drawn):
            [(name, array)] = values.items()
            values[name] = ((1 if run % 2 else -1) * np.abs(array)).astype(np.float32)
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
    named = {"table": table, "beyond": table + 1}
    recipe = {
        "kind": kind.module,
        "refused": kind.refused,
        "call": kind.call or (list(kind.wanted), {}),
        "wanted": {
            each: [width if axis == WIDTH else axis for axis in axes]
            for each, axes in kind.wanted.items()
        },
        "below": {"batch_ids": table} if kind.module == "bag" else {},
        "example": dict(kind.example),
        "limits": {
            each: {key: named.get(most, most) for key, most in bounds.items()}
            for each, bounds in kind.limits.items()
        },
        "parts": kind.parts,
        "width": width,
        "hidden": hidden,
        "table": table,
        "weights": int(rng.integers(1 << 31)),
    }
    given = dict(zip(ARGUMENTS.get(kind.module, ("given",)), kind.wanted, strict=False))
    way = None if public else sources.Variant(np.random.default_rng([own_seed, 1]), MENTIONED)
    source = sources.written(MODULES, CLASSES[kind.module], names=given, variant=way)
    return Case(name, {SOURCE: source}, recipe, public, own_seed)
