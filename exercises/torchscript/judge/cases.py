"""The cases of `torchscript`: a module, as its source and numbers, an example, and the inputs on which the result
is run. NumPy only.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from formatlab_exercises.shared.handed import SOURCE
from formatlab_exercises.shared.judge import sources
from formatlab_exercises.torchscript.files import EXAMPLE, INPUTS, RUNS
from nbjudge.contract import Case, case_seed

MODULES = Path(__file__).with_name("modules.py")
# The classes of each kind: the first is that of a public case, a hidden one is any of them.
CLASSES = {
    "plain": ("Plain", "NormLast"),
    "choice": ("Choice",),
    "halving": ("Halving", "Shrinking"),
    "recurrence": ("Recurrence", "Backwards"),
    "small-batch": ("SmallBatch", "LargeBatch"),
    "by-name": ("ByName",),
    "keywords": ("Keywords",),
    "anonymous": ("Anonymous",),
    "scaled": ("Scaled",),
    "two-faced": ("TwoFaced", "Exported"),
    "unused": ("Unused", "Excluded"),
    "router": ("Router", "Gate"),
    "report": ("Report", "LogReport"),
    "chain": ("Chain",),
    "pooling": ("Pooling", "Sums"),
}
REFUSED = ("by-name", "keywords", "anonymous", "scaled")
# By the case's name; a hidden one is called after its kind.
PUBLIC = {
    "plain": "plain",
    "choice": "choice",
    "refused": "by-name",
    "two-inputs": "pooling",
    "parts": "chain",
}
HIDDEN = (
    *("plain", "choice", "refused", "pooling", "recurrence", "small-batch", "halving"),
    *("two-faced", "unused", "router", "report", "chain"),
)
# What the compiler refuses in the parts of those that have one.
PARTS = {"parts": "anonymous", "hidden-router": "scaled"}
# What the graph of a module must still hold, since its behaviour depends on it.
CONTROL = {
    "choice": "If",
    "halving": "Loop",
    "recurrence": "Loop",
    "small-batch": "If",
    "router": "If",
    "report": "If",
    "chain": "If",
    "pooling": "Loop",
}
# A part of `plain` comes in the other mode, which is none whose statistics move.
TURNED = ["drop"]
# Passed in evaluation mode for every seed, as is what has a Dropout, so that whoever mistakes the mode
# loses what is about the mode; what is passed in training mode for every seed is `plain`.
EVALUATING = frozenset({"choice", "pooling", "report", "chain", "router", "small-batch"})
# What a choice by a value says of the example, for every seed: whoever tries larger values alone has
# to meet an example that is above, and whoever tries smaller ones alone another that is not.
ABOVE = {"choice": True, "router": True, "report": False, "chain": False}
THRESHOLDED = frozenset(ABOVE)


def public() -> list[Case]:
    return [_case(name, kind, 0, public=True) for name, kind in PUBLIC.items()]


def hidden(seed: int) -> list[Case]:
    rng = np.random.default_rng(case_seed(seed, "torchscript", "kinds"))
    kinds = {"refused": str(rng.choice(REFUSED))}
    return [_case(f"hidden-{name}", kinds.get(name, name), seed) for name in HIDDEN]


def control(case: Case) -> str | None:
    """`If` or `Loop` where the module's behaviour needs one."""
    return CONTROL.get(case.parameters["kind"])


def _case(name: str, kind: str, seed: int, public: bool = False) -> Case:
    own_seed = case_seed(seed, "torchscript", name)
    rng = np.random.default_rng(own_seed)
    recipe = _recipe(rng, kind, name)
    rows = [int(rng.integers(3, 6))]
    rows += [
        rows[0],
        1,
        rows[0] + int(rng.integers(1, 4)),
        rows[0] - 1,
        2 * rows[0] + int(rng.integers(1, 4)),
    ]
    recipe["rows"] = rows[0] - 1  # the example is on one side, fewer rows are on the other
    several = CLASSES[kind][:1] if public else CLASSES[kind]
    recipe["class"] = several[0] if len(several) == 1 else str(rng.choice(several))
    first = int(rng.integers(2))
    first = int(ABOVE.get(kind, first))
    drawn = [
        _inputs(rng, recipe, count, bool((number + first) % 2)) for number, count in enumerate(rows)
    ]
    arrays = {
        f"{place}/{i}": array
        for place, values in zip(("example", *range(RUNS)), drawn, strict=True)
        for i, array in enumerate(values)
    }
    example = {key: array for key, array in arrays.items() if key.startswith("example/")}
    other = {} if public else sources.other_attributes(MODULES, rng)
    recipe["turned"] = [other.get(part, part) for part in recipe["turned"]]
    [refused] = CLASSES[recipe["part"]]
    way = None if public else sources.Variant(np.random.default_rng([own_seed, 1]))
    source = sources.written(
        MODULES, recipe["class"], names={**other, "Refused": refused}, variant=way
    )
    files = {SOURCE: source, EXAMPLE: save(example), INPUTS: save(arrays)}
    return Case(name, files, recipe, public, own_seed)


def _recipe(rng: np.random.Generator, kind: str, name: str) -> dict:
    width, hidden, out = (int(size) for size in rng.permutation(np.arange(3, 8))[:3])
    plain = kind == "plain"
    training = plain or (bool(rng.integers(2)) and kind not in EVALUATING)
    return {
        "kind": kind,
        "weights": int(rng.integers(2**31)),
        "width": width,
        "hidden": hidden,
        "out": out,
        "activation": str(rng.choice(["tanh", "sigmoid", "softplus", "gelu"])),
        "function": str(rng.choice(["tanh", "sin", "cos", "atan", "sigmoid"])),
        "part": PARTS.get(name) or str(rng.choice(REFUSED)),
        "threshold": round(float(rng.uniform(-0.5, 0.5)), 2),
        "limit": round(float(rng.uniform(0.8, 1.6)), 2),
        "gain": round(float(rng.uniform(1.5, 3)), 2),
        "rows": 0,
        "tokens": int(rng.integers(8, 20)),
        "training": training,
        "turned": TURNED if plain else [],
    }


def _inputs(
    rng: np.random.Generator, recipe: Mapping, rows: int, above: bool
) -> tuple[np.ndarray, ...]:
    """Inputs of `rows` rows; their mean lies clearly above the threshold, or clearly below."""
    if recipe["kind"] == "pooling":
        longest = int(rng.integers(4, 8))
        return rng.integers(0, recipe["tokens"], (rows, longest)), rng.integers(
            1, longest + 1, rows
        )
    x = rng.normal(size=(rows, recipe["width"]))
    if rows > 2:
        x[-1], x[-2, 0] = 0, 6
    if recipe["kind"] in THRESHOLDED:
        x += recipe["threshold"] + (1 if above else -1) * rng.uniform(0.4, 0.9) - x.mean()
    # Between two powers of two, so that no rounding changes the number of steps, and low enough that
    # 20 more are another number of steps: whoever tries that finds a trace wrong for every seed.
    if recipe["kind"] == "halving":
        x *= (
            recipe["limit"]
            * 1.4
            * 2.0 ** (int(rng.integers(2, 5)) if above else -1)
            / np.abs(x).max()
        )
    return (x.astype(np.float32),)
