"""The cases of `inspect`: which models there are, and which of them have their data in other files."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.inspect.ask import MODEL
from formatlab_exercises.inspect.judge import case_models
from nbjudge.contract import Case, case_seed

BOTH = ("plain", "vendor_first", "alias", "branches", "nested", "functions", "external")
PUBLIC = (*BOTH, "graph_list")
HIDDEN = (
    *BOTH,
    "scan",
    "graph_list",
    "low_precision",
    "defaults",
    "external_subgraph",
)


def public_cases() -> list[Case]:
    return [_case(name, name, 0, public=True) for name in PUBLIC]


def cases(seed: int) -> list[Case]:
    return [_case(f"hidden-{name}", name, seed) for name in HIDDEN]


def _case(name: str, model_name: str, seed: int, public: bool = False) -> Case:
    own_seed = case_seed(seed, "inspect", name)
    model, files = getattr(case_models, model_name)(np.random.default_rng(own_seed))
    if not public:
        model.ir_version = int(np.random.default_rng([own_seed, 1]).integers(11, 13))
    files = {MODEL: model.SerializeToString(deterministic=True), **files}
    return Case(name, files, {"directory": len(files) > 1}, public, own_seed)
