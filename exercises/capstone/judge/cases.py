"""The cases of `capstone`: a module's weights, sixty-four rows of its input, and a budget.

Which step of the pipeline is the first to meet a budget depends on the size and the SQNR that the
steps have on any module, not on how they were made: float32 has four bytes a parameter, float16
two, int8 one; 8 bits leave an SQNR of 30 to 50 dB, float16 more than 55.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from safetensors.numpy import load_file, save

from formatlab.models.fixtures import FOLDER
from formatlab_exercises.capstone.ask import EXAMPLE, WEIGHTS, Weights, example
from nbjudge.contract import Case, case_seed

ID = "capstone"
ROWS, FRESH_ROWS = 64, 8

# What each kind of budget allows, in bytes for each parameter, and the range its SQNR is drawn
# from. The last two cannot be met.
BUDGETS = {
    "roomy": ((5.5, 7.0), (15, 80)),
    "half": ((3.0, 3.5), (15, 22)),
    "tight": ((1.75, 1.95), (12, 18)),
    "too-small": ((0.5, 0.8), (12, 18)),
    "too-exact": ((1.75, 1.95), (62, 75)),
}
POSSIBLE, IMPOSSIBLE = ("half", "roomy", "tight"), ("too-small", "too-exact")
# Which modules are handed over in training mode; the digits CNN may be in either mode.
TRAINING = {"cnn": True, "mlp": True, "block": False}


def public_cases() -> list[Case]:
    """The trained digits CNN with a budget for float16, and an MLP with one that nothing meets."""
    return [
        _case("digits", "digits", "half", 0, public=True),
        _case("mlp", "mlp", "too-exact", 0, public=True),
    ]


def cases(seed: int) -> list[Case]:
    """One of the usual modules for each of the three artefacts, a transformer's block with one of
    these budgets, and two modules with a budget that nothing meets.
    """
    rng = np.random.default_rng(case_seed(seed, ID, "plan"))
    plan = dict(zip(POSSIBLE, rng.permutation(USUAL), strict=True))
    plan |= dict(zip(IMPOSSIBLE, rng.permutation(USUAL), strict=False))
    block = _case("hidden-block", "block", str(rng.choice(POSSIBLE)), seed)
    drawn = [_case(f"hidden-{kind}", str(module), kind, seed) for kind, module in plan.items()]
    return [*drawn, block]


def fresh(case: Case) -> np.ndarray:
    """Rows that the student does not get, each a mixture of two of the example's, so that none
    leaves the example's range.
    """
    rng, rows = np.random.default_rng(case.seed), example(case)
    pairs = np.stack([rng.permutation(len(rows))[:2] for _ in range(FRESH_ROWS)])
    share = rng.uniform(0.1, 0.9, (FRESH_ROWS, *[1] * (rows.ndim - 1))).astype(np.float32)
    return share * rows[pairs[:, 0]] + (1 - share) * rows[pairs[:, 1]]


def parameters(state: Weights) -> int:
    return sum(array.size for array in state.values())


def _case(name: str, architecture: str, kind: str, seed: int, public: bool = False) -> Case:
    own_seed = case_seed(seed, ID, name)
    rng = np.random.default_rng(own_seed)
    sizes, state, rows = RECIPES[architecture](rng)
    training = TRAINING[architecture] if architecture in TRAINING else bool(rng.integers(2))
    # Exported in training mode, a module computes something else by a little or by much, which is
    # told in the other cases: whether it is the module at all must not decide on these.
    training = training and (public or kind in POSSIBLE)
    given = {
        "architecture": architecture,
        "sizes": sizes,
        "training": training,
        "budget": _budget(rng, kind, parameters(state)),
    }
    files = {
        WEIGHTS: save(state),
        EXAMPLE: save({"example": np.ascontiguousarray(rows, np.float32)}),
    }
    return Case(name, files, given, public, own_seed)


def _budget(rng: np.random.Generator, kind: str, count: int) -> dict[str, float]:
    share, decibels = BUDGETS[kind]
    return {
        "bytes": 1000 * math.ceil(rng.uniform(*share) * count / 1000),
        "sqnr_db": round(float(rng.uniform(*decibels)), 1),
    }


Recipe = Callable[[np.random.Generator], tuple[Mapping[str, int], Weights, np.ndarray]]


def _digits(rng: np.random.Generator) -> tuple[dict, Weights, np.ndarray]:
    from formatlab.models import digits  # loads torch and scikit-learn

    images = digits.load().train_images
    return (
        {},
        load_file(FOLDER / "digits-cnn.safetensors"),
        images[rng.permutation(len(images))[:ROWS]],
    )


def _cnn(rng: np.random.Generator) -> tuple[dict, Weights, np.ndarray]:
    sizes = {
        "channels": int(rng.integers(1, 4)),
        "height": int(rng.choice([8, 10])),
        "width": int(rng.choice([12, 14])),
    }
    sizes |= {
        "filters": int(rng.integers(9, 13)),
        "hidden": int(rng.integers(90, 120)),
        "classes": int(rng.integers(3, 12)),
    }
    filters = sizes["filters"]
    flat = 2 * sizes["filters"] * (sizes["height"] // 2) * (sizes["width"] // 2)
    state = {
        **_layer(rng, "first", filters, sizes["channels"], 3, 3),
        **_batch_norm(rng, "first_norm", filters),
        **_layer(rng, "second", 2 * filters, filters, 3, 3),
        **_batch_norm(rng, "second_norm", 2 * filters),
        **_layer(rng, "hidden", sizes["hidden"], flat),
        **_layer(rng, "out", sizes["classes"], sizes["hidden"]),
    }
    return sizes, state, rng.normal(size=(ROWS, sizes["channels"], sizes["height"], sizes["width"]))


def _mlp(rng: np.random.Generator) -> tuple[dict, Weights, np.ndarray]:
    sizes = {
        "features": int(rng.integers(60, 90)),
        "wide": int(rng.integers(250, 300)),
        "narrow": int(rng.integers(150, 200)),
    }
    sizes["classes"] = int(rng.integers(3, 12))
    state = {
        **_layer(rng, "first", sizes["wide"], sizes["features"]),
        **_layer(rng, "second", sizes["narrow"], sizes["wide"]),
        **_layer(rng, "out", sizes["classes"], sizes["narrow"]),
    }
    return sizes, state, rng.normal(size=(ROWS, sizes["features"]))


def _block(rng: np.random.Generator) -> tuple[dict, Weights, np.ndarray]:
    heads = int(rng.choice([2, 4]))
    sizes = {
        "steps": int(rng.integers(5, 9)),
        "width": 8 * int(rng.integers(11, 14)),
        "heads": heads,
        "classes": int(rng.integers(3, 12)),
    }
    width = sizes["width"]
    state = {
        **_norm(rng, "first_norm", width),
        **_layer(rng, "attend", 3 * width, width),
        **_layer(rng, "project", width, width),
        **_norm(rng, "second_norm", width),
        **_layer(rng, "up", 3 * width, width),
        **_layer(rng, "down", width, 3 * width),
        **_layer(rng, "out", sizes["classes"], width),
    }
    return sizes, state, rng.normal(size=(ROWS, sizes["steps"], width))


def _layer(rng: np.random.Generator, name: str, *shape: int) -> Weights:
    """Weight and bias of a layer with the output's size first: of a size that keeps the activations
    about as large as the input.
    """
    weight = rng.normal(size=shape) * math.sqrt(2 / math.prod(shape[1:]))
    return {
        f"{name}.weight": weight.astype(np.float32),
        f"{name}.bias": rng.normal(size=shape[0]).astype(np.float32) / 4,
    }


def _norm(rng: np.random.Generator, name: str, size: int) -> Weights:
    weight, bias = rng.uniform(0.5, 1.5, size), rng.normal(size=size) / 4
    return {f"{name}.weight": weight.astype(np.float32), f"{name}.bias": bias.astype(np.float32)}


def _batch_norm(rng: np.random.Generator, name: str, size: int) -> Weights:
    mean, variance = rng.normal(size=size) / 4, rng.uniform(0.5, 2, size)
    return {
        **_norm(rng, name, size),
        f"{name}.running_mean": mean.astype(np.float32),
        f"{name}.running_var": variance.astype(np.float32),
        f"{name}.num_batches_tracked": np.array(rng.integers(1, 999), np.int64),
    }


RECIPES: Mapping[str, Recipe] = {"digits": _digits, "cnn": _cnn, "mlp": _mlp, "block": _block}
USUAL = [name for name in RECIPES if name != "block"]
