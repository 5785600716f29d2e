"""The cases of the exercise `dropout`: small graphs, drawn anew for every seed, and a BERT with new
weights.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograder.contract import Case, case_seed
from exercises.dropout.judge.case_models import HIDDEN, PUBLIC
from exercises.shared.judge.descriptions import descriptions
from workbench.models import fixtures, to_bytes
from workbench.models.perturb import perturbed
from workbench.models.sketch import Sketch

BERT_RANGES = {"input_ids": [0, 97], "attention_mask": [0, 2]}
# What is special about each graph, and the section that treats it.
ANCHORS = {
    "graph-input-to-output": "graph-outputs",
    "graph-output": "graph-outputs",
    "two-graph-outputs": "graph-outputs",
}
ANCHORS |= {
    "two-consumers": "rewiring",
    "residual-stack": "rewiring",
    "graph-input": "rewiring",
    "series": "rewiring",
}
ANCHORS |= {
    "mask": "masks",
    "mask-is-graph-output": "masks",
    "shared-constant": "shared-initializers",
    "computed-ratio": "dead-ends",
}
ANCHORS |= dict.fromkeys(
    (
        "if-branch",
        "if-branch-output",
        "read-in-if",
        "loop-body",
        "nested",
        "in-a-branch",
        "read-in-a-branch",
    ),
    "subgraphs",
)
DESCRIPTIONS = descriptions({**PUBLIC, **HIDDEN})


def public_cases() -> list[Case]:
    cases = [_case(name, build, 0, public=True) for name, build in PUBLIC.items()]
    return [*cases, _bert_case("bert", fixtures.read("bert-dropout"), 0, public=True)]


def cases(seed: int) -> list[Case]:
    drawn = [_case(name, build, case_seed(seed, "dropout", name)) for name, build in HIDDEN.items()]
    number = case_seed(seed, "dropout", "bert-new-weights")
    return [
        *drawn,
        _bert_case("bert-new-weights", perturbed(fixtures.read("bert-dropout"), number), number),
    ]


def pretrained_case(seed: int) -> Case:
    """MiniLM with its 19 Dropouts and its weights perturbed: 90 MB, so never part of `cases`.

    Raises WeightsMissing or WeightsRefused when the published weights are not there, or not those.
    """
    from workbench.models import minilm

    number = case_seed(seed, "dropout", "minilm")
    ranges = {"input_ids": [0, 30522], "attention_mask": [0, 2]}
    return Case(
        "minilm",
        {"model.onnx": perturbed(minilm.training_mode_onnx(), number)},
        {"integers": ranges, "again": False},
        seed=number,
    )


def _case(name: str, build: Callable[[Sketch], None], seed: int, public: bool = False) -> Case:
    rng = np.random.default_rng([seed, sum(name.encode())])
    sketch = Sketch(rng, int(rng.choice([7, 9, 10, 11])) if name == "old-opset" else None)
    build(sketch)
    return Case(
        name,
        {"model.onnx": to_bytes(sketch.model())},
        {"integers": {}, "again": name == "chain"},
        public=public,
        seed=seed,
    )


def _bert_case(name: str, data: bytes, seed: int, public: bool = False) -> Case:
    return Case(
        name,
        {"model.onnx": data},
        {"integers": BERT_RANGES, "again": False},
        public=public,
        seed=seed,
    )
