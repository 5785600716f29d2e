"""The cases of `optimizers`: which models there are, and what each of them is about."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.optimizers.judge import case_models
from nbjudge.contract import Case, case_seed

ID = "optimizers"
PUBLIC = ("cnn", "transformer", "constants", "branches", "quantized")
HIDDEN = (*PUBLIC, "loop", "half", "functions", "vendor", "bert")
# What ONNX Runtime makes of a float convolution from the layout level on differs between
# processors.
DIFFERS = frozenset({"cnn"})
# The bounds of integer inputs: small enough that no processor's integer arithmetic saturates; ids
# and masks of the BERT.
INTEGERS = {
    "quantized": {"x": (100, 156)},
    "bert": {"input_ids": (0, 97), "attention_mask": (1, 2)},
}
# The inputs with a dimension that has to fit another one.
SHAPES = {"bert": {name: [(2, 7), (1, 12), (3, 5)] for name in ("input_ids", "attention_mask")}}


def public_cases() -> list[Case]:
    return [_case(name, name, 0, public=True) for name in PUBLIC]


def cases(seed: int) -> list[Case]:
    return [_case(f"hidden-{name}", name, seed) for name in HIDDEN]


def _case(name: str, model: str, seed: int, public: bool = False) -> Case:
    own_seed = case_seed(seed, ID, name)
    files = getattr(case_models, model)(np.random.default_rng(own_seed))
    parameters = {
        "integers": INTEGERS.get(model, {}),
        "shapes": SHAPES.get(model, {}),
        "differs": model in DIFFERS,
    }
    return Case(name, files, parameters, public, own_seed)
