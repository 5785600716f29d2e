"""Cases of exercises that edit a graph: a model, and a BERT with its own weights or with new ones."""

from __future__ import annotations

from autograder.contract import Case, case_seed
from exercises.shared.surgery import MODEL
from workbench.models.perturb import perturbed

# The bounds of the BERT's integer inputs.
BERT = {"input_ids": [0, 97], "attention_mask": [0, 2]}


def case(name: str, model: bytes, seed: int, public: bool = False, **parameters) -> Case:
    return Case(name, {MODEL: model}, {"integers": {}, "again": False, **parameters}, public, seed)


def bert(model: bytes, **parameters) -> Case:
    return case("bert", model, 0, public=True, **{"integers": BERT, **parameters})


def bert_with_new_weights(model: bytes, exercise: str, seed: int, **parameters) -> Case:
    name = "bert-new-weights"
    number = case_seed(seed, exercise, name)
    return case(name, perturbed(model, number), number, **{"integers": BERT, **parameters})
