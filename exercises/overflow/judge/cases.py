"""The cases of `overflow`: float16 graphs, with feeds on which they overflow, or not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from safetensors.numpy import save

from formatlab.models import to_bytes
from formatlab_exercises.overflow.ask import FEEDS
from formatlab_exercises.overflow.judge import case_models
from formatlab_exercises.overflow.judge.case_sketch import Float16Sketch
from formatlab_exercises.shared.judge import kinds
from formatlab_exercises.shared.judge.descriptions import descriptions
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Case

ID = "overflow"
# What is special about each model, by the case's name.
DESCRIPTIONS = descriptions({**case_models.PUBLIC, **case_models.HIDDEN})


def _case(name: str, build: Callable[[Float16Sketch], None], seed: int, public: bool) -> Case:
    sketch = Float16Sketch(np.random.default_rng([seed, sum(name.encode())]))
    build(sketch)
    files = {MODEL: to_bytes(sketch.model()), FEEDS: save(sketch.feeds)}
    return Case(name, files, {}, public, seed)


public_cases, cases = kinds.of(_case, ID, case_models.PUBLIC, case_models.HIDDEN)
