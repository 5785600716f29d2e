"""The cases of the exercise `layernorm`: small graphs, drawn anew for every seed, and a BERT among
the public ones.
"""

from __future__ import annotations

import numpy as np

from formatlab.models import fixtures, to_bytes
from formatlab.models.sketch import Sketch
from formatlab_exercises.layernorm.judge.case_models import (
    AXES_ARE_AN_INPUT,
    HIDDEN,
    LEAST_OPSET,
    PUBLIC,
)
from formatlab_exercises.layernorm.judge.case_parts import Build
from formatlab_exercises.layernorm.judge.case_subgraphs import NESTED, PUBLIC_NESTED
from formatlab_exercises.shared.judge import kinds
from formatlab_exercises.shared.judge.descriptions import descriptions
from formatlab_exercises.shared.judge.graph_cases import bert, case, with_functions
from nbjudge.contract import Case

# The parts of the exercise: the cases that need no more than what a part, and those before it, ask
# for. What is not named here is about readers.
PARTS = {
    "fused": {"fused", "operator"},
    "spelled out": {
        "decomposed",
        "spelt-out",
        "axes-in-an-attribute",
        "numbers-in-constants",
        "numbers",
    },
    "left alone": {
        *(
            "mean-of-another",
            "more-axes",
            "no-mean",
            "rms-norm",
            "four-dimensions",
            "two-axes",
            "computed-number",
            "computed-epsilon",
            "width-by-name",
            "named-width",
        ),
        *("no-scale", "other-affine", "relatives", "another-domain"),
    },
}
READERS = "readers"

ID = "layernorm"
DESCRIPTIONS = descriptions({**PUBLIC, **PUBLIC_NESTED, **HIDDEN, **NESTED})
ANCHORS = dict.fromkeys((*NESTED, *PUBLIC_NESTED), "subgraphs") | dict.fromkeys(
    ("graph-output",), "graph-outputs"
)


def part_of(case: Case) -> str:
    return next((part for part, names in PARTS.items() if case.name in names), READERS)


def public_cases() -> list[Case]:
    return [*DRAWN.public(), bert(fixtures.read("bert"))]


def cases(seed: int) -> list[Case]:
    return DRAWN.hidden(seed)


def _case(name: str, build: Build, seed: int, public: bool) -> Case:
    rng = np.random.default_rng([seed, sum(name.encode())])
    sketch = Sketch(rng, int(rng.integers(*_opsets(name, public))))
    shapes = build(sketch) or {}
    model = to_bytes(with_functions(sketch.model()))
    return case(name, model, seed, public, shapes=shapes, again=name == "decomposed")


def _opsets(name: str, public: bool) -> tuple[int, int]:
    """The least opset of a case, and one more than the newest."""
    if name in AXES_ARE_AN_INPUT:
        return 18, 21
    return LEAST_OPSET.get(name, 13), 21 if public else 18


DRAWN = kinds.of(_case, ID, {**PUBLIC, **PUBLIC_NESTED}, {**HIDDEN, **NESTED})
