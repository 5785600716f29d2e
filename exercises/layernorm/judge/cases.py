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
from formatlab_exercises.shared.judge.graph_cases import (
    bert,
    bert_with_new_weights,
    case,
    with_functions,
)
from nbjudge.contract import Case

ID = "layernorm"
DESCRIPTIONS = descriptions({**PUBLIC, **PUBLIC_NESTED, **HIDDEN, **NESTED})
ANCHORS = dict.fromkeys((*NESTED, *PUBLIC_NESTED), "subgraphs") | dict.fromkeys(
    ("graph-output",), "graph-outputs"
)


def public_cases() -> list[Case]:
    return [*DRAWN.public(), bert(fixtures.read("bert"), again=True)]


def cases(seed: int) -> list[Case]:
    return [*DRAWN.hidden(seed), bert_with_new_weights(fixtures.read("bert"), ID, seed, again=True)]


def _case(name: str, build: Build, seed: int, public: bool) -> Case:
    rng = np.random.default_rng([seed, sum(name.encode())])
    sketch = Sketch(rng, int(rng.integers(*_opsets(name, public))))
    shapes = build(sketch) or {}
    model = to_bytes(with_functions(sketch.model()))
    return case(name, model, seed, public, shapes=shapes, again=True)


def _opsets(name: str, public: bool) -> tuple[int, int]:
    """The least opset of a case, and one more than the newest."""
    if name in AXES_ARE_AN_INPUT:
        return 18, 21
    return LEAST_OPSET.get(name, 13), 21 if public else 18


DRAWN = kinds.of(_case, ID, {**PUBLIC, **PUBLIC_NESTED}, {**HIDDEN, **NESTED})
