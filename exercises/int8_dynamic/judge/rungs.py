"""The rungs of `int8_dynamic`. Each looks at one case; `findings` has the words for what it
sees.

No native INT8 kernel runs here: `quantized.evaluate` gives every processor the same numbers.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from formatlab import loading, numerics, quantized
from formatlab.loading import Unloadable
from formatlab.numerics import Feeds, Outputs
from formatlab_exercises.int8_dynamic.judge import case_facts, cases, findings
from formatlab_exercises.int8_dynamic.judge.case_models import MASK
from formatlab_exercises.shared.judge import disturbed, models, quantized_loading
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Case, Finding, View
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

# What the lab asks for. Per-channel weights agree to 0.99 and better in every case, one scale per
# weight to less than 0.97 in some.
AGREEMENT = 0.98
SHARE = 0.30
# An embedding that is nearer to another sentence's than to its own has lost its meaning. On 200 seeds
# one scale per weight keeps at least 8 of 12 sentences, bytes read with the wrong sign at most 5.
RECOGNISED = 0.5
# A dynamic quantization written in plain operators takes about ten nodes for one.
NODES_PER_NODE = 8
# Of the numbers in all weights of products, those that have to be in products of integers.
MOST = 0.75


def is_model(view: View) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    finding = outcome.returns(
        "an onnx.ModelProto", f"{findings.PAGE}#dynamic-and-static", models.report
    )(view)
    if finding is not None and view.answer.outcome == "raised":
        return findings.raised(view.case, view.answer, finding)
    if finding is not None and view.answer.outcome == "wrong_type":
        return findings.wrong_type(finding)
    return finding


def loads(view: View) -> Finding | None:
    """Within the caps, accepted by the checker and by ONNX Runtime, and of operators that every
    processor computes alike.
    """
    try:
        quantized_loading.admit(view, NODES_PER_NODE, 3)
    except Unloadable as problem:
        return findings.unloadable(view.case, problem)
    except quantized.Refused as problem:
        return findings.refused(view.case, problem)
    return None


def keeps_signature(view: View) -> Finding | None:
    """Names, types and dimensions of the graph's inputs and outputs are the argument's."""
    original, model = loading.parse(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    for kind in ("input", "output"):
        expected, found = (list(getattr(which.graph, kind)) for which in (original, model))
        if [value.name for value in expected] != [value.name for value in found]:
            return findings.other_names(view.case, kind, expected, found)
        for want, have in zip(expected, found, strict=True):
            if findings.signature(want) != findings.signature(have):
                return findings.other_type(view.case, kind, want, have)
    return None


def multiplies_integers(view: View) -> Finding | None:
    """Every product with a weight is one of integers, the scale of its activation comes out of the
    activation, and the outputs follow from these products.
    """
    original, found = (
        case_facts.read(view.case.files[MODEL]),
        case_facts.read(view.answer.files[MODEL]),
    )
    if found.constant_outputs:
        return findings.CONSTANT_OUTPUT
    if found.those("static"):
        return findings.static(found)
    if found.those("divided"):
        return findings.divided(found)
    if found.those("restored"):
        return findings.restored(found)
    if found.those("half"):
        return findings.half(found)
    if found.those("float"):
        return findings.left_in_float(original, found)
    if found.elements < original.elements:
        return keeps_signature(view) or findings.products_lost(original, found)
    return _computes_beside_its_products(view, len(found.products))


def _computes_beside_its_products(view: View, products: int) -> Finding | None:
    """What is wrong where products count for nothing, and something else computes what they should."""
    data, answer = view.case.files[MODEL], view.answer.files[MODEL]
    idle = disturbed.idle(data, answer, case_facts.sites, cases.feeds(view.case)[1])
    return findings.idle_products(products) if idle else None


def multiplies_most(view: View) -> Finding | None:
    """At least three quarters of the products with a weight are products of integers from which the
    outputs follow: more than a BERT without its pooler, and less than one whose layers share weights
    that are quantized in the first.
    """
    found = case_facts.read(view.answer.files[MODEL])
    original = case_facts.read(view.case.files[MODEL])
    done = sum(product.elements for product in found.those("integer"))
    if not found.constant_outputs and done >= MOST * max(original.elements, found.elements):
        return _computes_beside_its_products(view, len(found.products))
    return multiplies_integers(view)


def means_the_same(view: View) -> Finding | None:
    """It runs on batches of other sizes, and each sentence's embedding is nearest to what the float
    model gives for that sentence.
    """
    finding = _runs(view)
    if finding is not None:
        return finding
    for want, have in _pairs(view):
        if len(want) > 1:
            nearest = (_unit(have) @ _unit(want).T).argmax(axis=1)
            share = float((nearest == np.arange(len(want))).mean())
            if share < RECOGNISED:
                return findings.unrecognised(share, RECOGNISED)
    return None


def is_close(view: View) -> Finding | None:
    """The embeddings agree with the float model's."""
    finding = _runs(view)
    if finding is not None:
        return finding
    agreement = float(
        np.mean([(_unit(want) * _unit(have)).sum(axis=1).mean() for want, have in _pairs(view)])
    )
    if agreement < AGREEMENT:
        return findings.far(view.case, view.answer.files[MODEL], agreement, AGREEMENT)
    return None


def is_small(view: View) -> Finding | None:
    """The file has the size that 8 bits promise."""
    data = view.answer.files[MODEL]
    share = len(data) / len(view.case.files[MODEL])
    return findings.large(case_facts.read(data), len(data), share, SHARE) if share > SHARE else None


def leaves_the_argument(view: View) -> Finding | None:
    """The model that was passed in is as it was before the call."""
    changed = known(models.report(view.answer))["argument_changed"]
    return findings.ARGUMENT_CHANGED if changed else None


def embeddings(inputs: Feeds, outputs: Outputs) -> list[np.ndarray]:
    """Of each output one row per sentence: the mean over the tokens that the mask keeps, or the
    output itself if it has no tokens.
    """
    mask = inputs[MASK][..., None]
    return [
        (value * mask).sum(axis=1) / mask.sum(axis=1) if value.ndim == 3 else value
        for value in outputs
    ]


def digest(case: Case) -> dict[str, np.ndarray]:
    """The embeddings that the argument itself gives: `<run>/<output>`."""
    inputs = cases.feeds(case)
    runs = numerics.run(case.files[MODEL], inputs)
    return numerics.pack(
        [embeddings(values, outputs) for values, [outputs] in zip(inputs, runs, strict=True)]
    )


def _runs(view: View) -> Finding | None:
    try:
        found = _evaluated(
            view.answer.files[MODEL], view.case.name, view.case.public, view.case.seed
        )
    except Exception as error:
        return keeps_signature(view) or findings.does_not_run(view.case, loading.first_line(error))
    for want, have in zip(numerics.unpack(view.reference), found, strict=True):
        if len(have) != len(want):  # the contract has said so
            return findings.no_embedding(False)
        for one, other in zip(want, have, strict=True):
            if other.shape != one.shape or not np.isfinite(other).all():
                return findings.no_embedding(other.shape == one.shape)
    return None


def _pairs(view: View) -> list[tuple[np.ndarray, np.ndarray]]:
    """The embeddings of the float model, and those of the answer."""
    found = _evaluated(view.answer.files[MODEL], view.case.name, view.case.public, view.case.seed)
    return [
        pair
        for want, have in zip(numerics.unpack(view.reference), found, strict=True)
        for pair in zip(want, have, strict=True)
    ]


@lru_cache(maxsize=32)  # more than there are cases: each rung looks at all of them
def _evaluated(data: bytes, name: str, public: bool, seed: int) -> list[list[np.ndarray]]:
    inputs = cases.feeds(Case(name, public=public, seed=seed))
    return [
        embeddings(values, outputs)
        for values, outputs in zip(inputs, quantized.evaluate(data, inputs), strict=True)
    ]


def _unit(rows: np.ndarray) -> np.ndarray:
    rows = rows.astype(np.float64)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float64).tiny)
