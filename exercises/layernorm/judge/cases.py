"""The cases of the exercise `layernorm`: small graphs, drawn anew for every seed, and a BERT with
new weights.
"""

from __future__ import annotations

import numpy as np

from autograder.contract import Case, case_seed
from exercises.layernorm.judge.case_models import HIDDEN, LEAST_OPSET, PUBLIC, Build
from exercises.layernorm.judge.case_subgraphs import NESTED, PUBLIC_NESTED
from exercises.shared.judge.descriptions import descriptions
from workbench.models import fixtures, to_bytes
from workbench.models.perturb import perturbed
from workbench.models.sketch import Sketch

# The parts of the exercise: the cases that need no more than what a part, and those before it, ask
# for. What is not named here is about readers.
PARTS = {
    "fused": {"fused", "operator"},
    "spelled out": {
        "decomposed",
        "spelt-out",
        "axes-in-an-attribute",
        "axes-as-attribute",
        "axes-as-input",
        "shared-constants",
    },
    "left alone": {
        *(
            "mean-of-another",
            "no-mean",
            "unrelated-affine",
            "rms-norm",
            "over-steps",
            "four-dimensions",
            "two-axes",
        ),
        *("other-mean", "negated", "uncentred", "other-variance"),
    },
}
READERS = "readers"

BERT = {"integers": {"input_ids": [0, 97], "attention_mask": [0, 2]}, "again": False}
DESCRIPTIONS = descriptions({**PUBLIC, **PUBLIC_NESTED, **HIDDEN, **NESTED})
ANCHORS = dict.fromkeys((*NESTED, *PUBLIC_NESTED), "subgraphs") | dict.fromkeys(
    ("graph-output", "graph-input-to-output"), "graph-outputs"
)


def part_of(case: Case) -> str:
    return next((part for part, names in PARTS.items() if case.name in names), READERS)


def public_cases() -> list[Case]:
    cases = [
        _case(name, build, 0, public=True) for name, build in {**PUBLIC, **PUBLIC_NESTED}.items()
    ]
    return [*cases, Case("bert", {"model.onnx": fixtures.read("bert")}, BERT, public=True, seed=0)]


def cases(seed: int) -> list[Case]:
    drawn = [
        _case(name, build, case_seed(seed, "layernorm", name))
        for name, build in {**HIDDEN, **NESTED}.items()
    ]
    number = case_seed(seed, "layernorm", "bert-new-weights")
    return [
        *drawn,
        Case(
            "bert-new-weights",
            {"model.onnx": perturbed(fixtures.read("bert"), number)},
            BERT,
            seed=number,
        ),
    ]


def _case(name: str, build: Build, seed: int, public: bool = False) -> Case:
    rng = np.random.default_rng([seed, sum(name.encode())])
    sketch = Sketch(rng, int(rng.integers(LEAST_OPSET.get(name, 13), 21)))
    build(sketch)
    return Case(
        name,
        {"model.onnx": to_bytes(sketch.model())},
        {"integers": {}, "again": name == "decomposed"},
        public=public,
        seed=seed,
    )
