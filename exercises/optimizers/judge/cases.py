"""The cases of `optimizers`: which models there are, and what each of them is about."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.optimizers.judge import case_models
from nbjudge.contract import Case, case_seed

ID = "optimizers"
PUBLIC = ("cnn", "transformer", "constants", "branches", "quantized")
# Between them every level is told from every other, on every processor.
HIDDEN = ("transformer", "constants", "nested", "functions", "quantized", "half")
# What ONNX Runtime makes of a float convolution from the layout level on differs between
# processors.
DIFFERS = frozenset({"cnn"})
# The bounds of integer inputs: small enough that no processor's integer arithmetic saturates.
INTEGERS = {"quantized": {"x": (100, 156)}}


def public_cases() -> list[Case]:
    return [_case(name, name, 0, public=True) for name in PUBLIC]


def cases(seed: int) -> list[Case]:
    return [_case(f"hidden-{name}", name, seed) for name in HIDDEN]


def _case(name: str, model: str, seed: int, public: bool = False) -> Case:
    own_seed = case_seed(seed, ID, name)
    files = getattr(case_models, model)(np.random.default_rng(own_seed))
    parameters = {
        "integers": INTEGERS.get(model, {}),
        "differs": model in DIFFERS,
    }
    return Case(name, files, parameters, public, own_seed)
