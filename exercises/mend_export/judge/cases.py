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

    `limits` may say "table" for a size, which is the length of the module's table; `parts` is the
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
PAIR = ["rows", "past", WIDTH]
BAG: tuple[list, dict] = (
    [{"ids": "batch_ids", "weight": "batch_weight"}],
    {"shift": "shift", "scale": "scale"},
)
PAST: tuple[list, dict] = (
    ["states", [{"tuple": [f"past_{layer}_0", f"past_{layer}_1"]} for layer in range(2)]],
    {"options": {"gain": "options_gain"}},
)

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
        call=BAG,
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
# A hidden kind is one of these modules. What a student is handed of two of them, but for the module,
# is the same, and one of the two has a right file: so neither the names, nor the sizes of the
# example, nor the limits tell which.
TWO_ONES, IN_THREES = ("frames", "weighted"), ("grouped", "largest")
DEEPER = ("past", "gatedpast")
# Functions of torch that a hidden module names, whether it calls them or not.
MENTIONED = ("amax", "mean", "sigmoid", "softmax", "sum", "tanh", "reshape", "unsqueeze")
FEW, CHOICE = ("short", "long"), ("choice", "turned")
INPUTS = ("features", "frames", "samples", "signal", "states", "tokens")
AXES = ("frames", "items", "places", "samples", "steps")
HIDDEN = (
    *("hidden-two-ones", "hidden-in-threes", "hidden-nested-deeper"),
    *("hidden-refuse-few", "hidden-refuse-choice"),
)
WIDTHS = np.arange(5, 10)


def public_cases() -> list[Case]:
    return [_case(name, kind, 0, public=True) for name, kind in PUBLIC.items()]


def cases(seed: int) -> list[Case]:
    kinds = _hidden(np.random.default_rng(case_seed(seed, ID, "kinds")))
    return [_case(name, kind, seed) for name, kind in zip(HIDDEN, kinds, strict=True)]


def _hidden(rng: np.random.Generator) -> list[Kind]:
    """The kinds of `HIDDEN`, in their order."""

    def form(**more: Any) -> dict[str, Any]:
        name, axis = str(rng.choice(INPUTS)), str(rng.choice(AXES))
        sizes = more.pop("sizes")
        limits = {axis: more.pop("limit")} if "limit" in more else {}
        wanted = {name: ["rows", axis, WIDTH]}
        return {
            "wanted": wanted,
            "example": {"rows": sizes[0], axis: sizes[1]},
            "limits": limits,
        } | more

    def drawn(several: tuple[str, ...]) -> str:
        return str(rng.choice(several))

    ones, threes = form(sizes=(1, 1), parts=4), form(sizes=(2, 3), limit={"multiple": 3}, parts=3)
    deeper = {
        "states": ["rows", WIDTH],
        **{f"past_{layer}_{part}": PAIR for layer in (0, 1) for part in (0, 1)},
        "options_gain": [WIDTH],
    }
    few, choice = (ones, threes) if rng.integers(2) else (threes, ones)
    return [
        Kind(module=drawn(TWO_ONES), **ones),
        Kind(module=drawn(IN_THREES), **threes),
        Kind(
            module=drawn(DEEPER),
            wanted=deeper,
            example={"rows": 2, "past": 3},
            parts=4,
            call=PAST,
        ),
        Kind(module=drawn(FEW), refused=True, **few),
        Kind(module=drawn(CHOICE), refused=True, **choice),
    ]


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
            each: {key: table if most == "table" else most for key, most in bounds.items()}
            for each, bounds in kind.limits.items()
        },
        "parts": kind.parts,
        "width": width,
        "hidden": hidden,
        "table": table,
        "weights": int(rng.integers(1 << 31)),
    }
    given = {"given": next(iter(kind.wanted))}
    way = None if public else sources.Variant(np.random.default_rng([own_seed, 1]), MENTIONED)
    source = sources.written(MODULES, CLASSES[kind.module], names=given, variant=way)
    return Case(name, {SOURCE: source}, recipe, public, own_seed)
