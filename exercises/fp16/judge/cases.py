"""The cases of the exercise `fp16`: float32 graphs to convert."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograder.contract import Case, case_seed
from exercises.fp16.judge import case_conversions
from exercises.fp16.judge.case_sketch import Float32Sketch
from exercises.shared.judge.descriptions import descriptions
from exercises.shared.surgery import MODEL
from workbench.models import fixtures, to_bytes
from workbench.models.perturb import perturbed

ID = "fp16"
INTEGERS = {"input_ids": [0, 97], "attention_mask": [0, 2], "ids": [0, 9]}
# The parts of the exercise: models whose nodes can all compute in float16, and the others.
PARTS = ("all in float16", "some in float32")
# What is special about each model, by the case's name.
DESCRIPTIONS = descriptions({**case_conversions.PUBLIC, **case_conversions.HIDDEN})


def part_of(case: Case) -> str:
    return PARTS[case.name in case_conversions.SOME_IN_FLOAT32]


def public_cases() -> list[Case]:
    drawn = [
        _conversion(name, build, 0, public=True) for name, build in case_conversions.PUBLIC.items()
    ]
    return [*drawn, _case("bert", fixtures.read("bert"), 0, public=True)]


def cases(seed: int) -> list[Case]:
    drawn = [
        _conversion(name, build, case_seed(seed, ID, name))
        for name, build in case_conversions.HIDDEN.items()
    ]
    number = case_seed(seed, ID, "bert-new-weights")
    new = perturbed(fixtures.read("bert"), number)
    return [*drawn, _case("bert-new-weights", new, number)]


def _conversion(
    name: str, build: Callable[[Float32Sketch], None], seed: int, public: bool = False
) -> Case:
    sketch = Float32Sketch(np.random.default_rng([seed, sum(name.encode())]))
    build(sketch)
    return _case(name, to_bytes(sketch.finished()), seed, public)


def _case(name: str, data: bytes, seed: int, public: bool = False) -> Case:
    return Case(name, {MODEL: data}, {"again": False, "integers": INTEGERS}, public, seed)
