"""The cases of the exercise `fp16`: float32 graphs to convert."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from formatlab.models import fixtures, to_bytes
from formatlab_exercises.fp16.judge import case_conversions
from formatlab_exercises.fp16.judge.case_sketch import Float32Sketch
from formatlab_exercises.shared.judge import kinds
from formatlab_exercises.shared.judge.descriptions import descriptions
from formatlab_exercises.shared.judge.graph_cases import BERT, bert, bert_with_new_weights, case
from nbjudge.contract import Case

ID = "fp16"
INTEGERS = BERT | {"ids": [0, 9]}
# What is special about each model, by the case's name.
DESCRIPTIONS = descriptions({**case_conversions.PUBLIC, **case_conversions.HIDDEN})


def public_cases() -> list[Case]:
    return [*DRAWN.public(), bert(fixtures.read("bert"), integers=INTEGERS)]


def cases(seed: int) -> list[Case]:
    drawn = bert_with_new_weights(fixtures.read("bert"), ID, seed, integers=INTEGERS)
    return [*DRAWN.hidden(seed), drawn]


def _case(name: str, build: Callable[[Float32Sketch], None], seed: int, public: bool) -> Case:
    sketch = Float32Sketch(np.random.default_rng([seed, sum(name.encode())]))
    build(sketch)
    return case(name, to_bytes(sketch.finished()), seed, public, integers=INTEGERS)


DRAWN = kinds.of(_case, ID, case_conversions.PUBLIC, case_conversions.HIDDEN)
