"""Cases of exercises that edit a graph: a model, and a BERT with its own weights or with new ones."""

from __future__ import annotations

import numpy as np

from formatlab.models.perturb import perturbed
from formatlab.models.sketch import Sketch
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Case, case_seed

# The bounds of the BERT's integer inputs.
BERT = {"input_ids": [0, 97], "attention_mask": [0, 2]}


def case(name: str, model: bytes, seed: int, public: bool = False, **parameters) -> Case:
    return Case(name, {MODEL: model}, {"integers": {}, "again": False, **parameters}, public, seed)


def computed_constant(s: Sketch) -> None:
    """An input times a number that a node computes: no edit that is asked for touches it, and an
    optimizer computes it beforehand.
    """
    s.lead = ("batch", "steps")
    x = s.input()
    number = s.node("Exp", [s.constant(np.array(s.rng.uniform(-0.5, 0.5), np.float32))])
    s.output(s.like(x, s.node("Mul", [x, number])))


def bert(model: bytes, **parameters) -> Case:
    return case("bert", model, 0, public=True, **{"integers": BERT, **parameters})


def bert_with_new_weights(model: bytes, exercise: str, seed: int, **parameters) -> Case:
    name = "bert-new-weights"
    number = case_seed(seed, exercise, name)
    return case(name, perturbed(model, number), number, **{"integers": BERT, **parameters})
