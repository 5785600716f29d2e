"""The cases of the exercise `fp16`: float32 graphs to convert, and float16 graphs with the feeds on
which they overflow, or not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from safetensors.numpy import save

from autograder.contract import Case, case_seed
from exercises.fp16.ask import FEEDS, MODEL
from exercises.fp16.judge import case_conversions, case_overflows
from exercises.fp16.judge.case_sketch import Float16Sketch, Float32Sketch
from exercises.shared.judge.descriptions import descriptions
from workbench.models import fixtures, to_bytes
from workbench.models.perturb import perturbed

ID = "fp16"
INTEGERS = {"input_ids": [0, 97], "attention_mask": [0, 2], "ids": [0, 9]}
# What is special about each model, by the case's name.
DESCRIPTIONS = descriptions(
    {
        **case_conversions.PUBLIC,
        **case_conversions.HIDDEN,
        **case_overflows.PUBLIC,
        **case_overflows.HIDDEN,
    }
)


def public_cases() -> list[Case]:
    converted = [
        _conversion(name, build, 0, public=True) for name, build in case_conversions.PUBLIC.items()
    ]
    searched = [
        _search(name, build, 0, public=True) for name, build in case_overflows.PUBLIC.items()
    ]
    return [*converted, _bert("bert", fixtures.read("bert"), 0, public=True), *searched]


def cases(seed: int) -> list[Case]:
    converted = [
        _conversion(name, build, case_seed(seed, ID, name))
        for name, build in case_conversions.HIDDEN.items()
    ]
    searched = [
        _search(name, build, case_seed(seed, ID, name))
        for name, build in case_overflows.HIDDEN.items()
    ]
    number = case_seed(seed, ID, "bert-new-weights")
    return [
        *converted,
        _bert("bert-new-weights", perturbed(fixtures.read("bert"), number), number),
        *searched,
    ]


def _conversion(
    name: str, build: Callable[[Float32Sketch], None], seed: int, public: bool = False
) -> Case:
    sketch = Float32Sketch(_generator(name, seed))
    build(sketch)
    return _case(name, to_bytes(sketch.finished()), seed, public)


def _bert(name: str, data: bytes, seed: int, public: bool = False) -> Case:
    return _case(name, data, seed, public)


def _case(name: str, data: bytes, seed: int, public: bool) -> Case:
    return Case(
        name, {MODEL: data}, {"ask": "convert", "integers": INTEGERS}, public=public, seed=seed
    )


def _search(
    name: str, build: Callable[[Float16Sketch], None], seed: int, public: bool = False
) -> Case:
    sketch = Float16Sketch(_generator(name, seed))
    build(sketch)
    files = {MODEL: to_bytes(sketch.model()), FEEDS: save(sketch.feeds)}
    return Case(name, files, {"ask": "search"}, public=public, seed=seed)


def _generator(name: str, seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, sum(name.encode())])
