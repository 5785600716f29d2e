"""The cases of the exercise `dropout`: small graphs, drawn anew for every seed, and a BERT with new
weights.
"""

from __future__ import annotations

import numpy as np

from formatlab.models import fixtures, to_bytes
from formatlab.models.perturb import perturbed
from formatlab.models.sketch import Sketch
from formatlab_exercises.dropout.judge.case_models import HIDDEN, PUBLIC, Build
from formatlab_exercises.dropout.judge.case_subgraphs import NESTED, PUBLIC_NESTED
from formatlab_exercises.shared.judge import kinds
from formatlab_exercises.shared.judge.descriptions import descriptions
from formatlab_exercises.shared.judge.graph_cases import (
    bert,
    bert_with_new_weights,
    case,
    computed_constant,
    with_functions,
)
from nbjudge.contract import Case, case_seed

ID = "dropout"
# What is special about each graph, and the section that treats it.
ANCHORS = {
    name: section
    for section, names in {
        "graph-outputs": (
            "at-the-output-new",
            "graph-input-to-output",
            "two-graph-outputs",
        ),
        "rewiring": (
            "two-consumers",
            "two-consumers-new",
            "graph-input",
            "series",
            "one-after-another",
        ),
        "masks": ("mask", "mask-is-graph-output", "mask-is-an-output"),
        "shared-initializers": ("constant-is-shared", "constant-is-shared-new"),
        "dead-ends": ("computed-ratio",),
        "subgraphs": (*NESTED, *PUBLIC_NESTED),
    }.items()
    for name in names
}
DESCRIPTIONS = descriptions({**PUBLIC, **PUBLIC_NESTED, **HIDDEN, **NESTED})


def public_cases() -> list[Case]:
    return [*DRAWN.public(), bert(fixtures.read("bert-dropout"), again=True)]


def cases(seed: int) -> list[Case]:
    new = bert_with_new_weights(fixtures.read("bert-dropout"), ID, seed, again=True)
    return [*DRAWN.hidden(seed), new]


def pretrained_case(seed: int) -> Case:
    """MiniLM with its 19 Dropouts and its weights perturbed: 90 MB, so never part of `cases`.

    Raises WeightsMissing or WeightsRefused when the published weights are not there, or not those.
    """
    from formatlab.models import minilm

    number = case_seed(seed, ID, "minilm")
    ranges = {"input_ids": [0, 30522], "attention_mask": [0, 2]}
    return case(
        "bert-minilm", perturbed(minilm.training_mode_onnx(), number), number, integers=ranges
    )


def _case(name: str, build: Build, seed: int, public: bool) -> Case:
    rng = np.random.default_rng([seed, sum(name.encode())])
    sketch = Sketch(rng)
    build(sketch)
    computed_constant(sketch)
    model = to_bytes(with_functions(sketch.model()))
    return case(name, model, seed, public, again=True)


DRAWN = kinds.of(_case, ID, {**PUBLIC, **PUBLIC_NESTED}, {**HIDDEN, **NESTED})
