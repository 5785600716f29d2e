"""The rungs of `int8_dynamic`. Each looks at one case; `misconceptions` finds the words for what it sees.

No native INT8 kernel runs here: `quantized.evaluate` gives every processor the same numbers.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from autograder.contract import Answer, Case, Finding, Reference
from autograder.rungs import outcome
from exercises.int8_dynamic.judge import case_facts, cases, misconceptions
from exercises.int8_dynamic.judge.case_models import MASK
from exercises.shared.judge import surgery
from exercises.shared.judge.surgery import MODEL
from workbench import graphs, loading, numerics, quantized
from workbench.loading import Caps, Unloadable
from workbench.numerics import Feeds, Outputs

# What the lab asks for. Per-channel weights agree to 0.99 and better in every case, one scale per weight to less than 0.97 in some.
AGREEMENT = 0.98
SHARE = 0.30
# An embedding that is nearer to another sentence's than to its own has lost its meaning; a near tie is forgiven.
RECOGNISED = 0.9
# A dynamic quantization written in plain operators takes about ten nodes for one.
NODES_PER_NODE = 8


def is_model(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    finding = outcome.returns("an onnx.ModelProto", f"{misconceptions.PAGE}#dynamic-and-static")(case, answer, reference)
    if finding is not None and answer.outcome == "raised":
        return misconceptions.raised(case, answer, finding)
    if finding is not None and answer.outcome == "wrong_type":
        return misconceptions.wrong_type(finding)
    if finding is None and surgery.report(answer) is None:
        return misconceptions.unreadable()
    return finding


def loads(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """Within the caps, accepted by the checker and by ONNX Runtime, and of operators that every processor computes alike."""
    data, model = answer.files[MODEL], loading.parse(case.files[MODEL])
    count = sum(1 for _ in graphs.nodes(model))
    caps = Caps(2 * len(case.files[MODEL]) + (1 << 20), NODES_PER_NODE * count, 3 * graphs.constant_elements(model) + 4096)
    try:
        loading.refuse(data, caps, frozenset({"", "com.microsoft"}))
        loading.validate(data)
        quantized.exact(loading.parse(data))
    except Unloadable as problem:
        return misconceptions.unloadable(case, problem)
    except quantized.Refused as problem:
        return misconceptions.refused(case, problem)
    return None


def keeps_signature(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The argument is as it was; names, types and dimensions of the graph's inputs and outputs are the argument's."""
    if surgery.report(answer)["argument_changed"]:
        return misconceptions.argument_changed()
    original, model = loading.parse(case.files[MODEL]), loading.parse(answer.files[MODEL])
    for kind in ("input", "output"):
        expected, found = (list(getattr(which.graph, kind)) for which in (original, model))
        if [value.name for value in expected] != [value.name for value in found]:
            return misconceptions.other_names(case, kind, expected, found)
        for want, have in zip(expected, found, strict=True):
            if misconceptions.signature(want) != misconceptions.signature(have):
                return misconceptions.other_type(case, kind, want, have)
    return None


def multiplies_integers(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """Every product with a weight is one of integers, and the scale of its activation comes out of the activation."""
    original, found = case_facts.read(case.files[MODEL]), case_facts.read(answer.files[MODEL])
    if found.constant_outputs:
        return misconceptions.constant_output()
    if found.those("static"):
        return misconceptions.static(found)
    if found.those("restored"):
        return misconceptions.restored(found)
    if found.those("half"):
        return misconceptions.half(found)
    if found.those("float"):
        return misconceptions.left_in_float(case, original, found)
    if found.elements < original.elements:
        return misconceptions.products_lost(original, found)
    return None


def means_the_same(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """It runs on batches of other sizes, and each sentence's embedding is nearest to what the float model gives for that sentence."""
    finding = _runs(case, answer, reference)
    if finding is not None:
        return finding
    for want, have in _pairs(case, answer, reference):
        if len(want) > 1:
            nearest = (_unit(have) @ _unit(want).T).argmax(axis=1)
            share = float((nearest == np.arange(len(want))).mean())
            if share < RECOGNISED:
                return misconceptions.unrecognised(share, RECOGNISED)
    return None


def is_small_and_close(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The embeddings agree with the float model's, and the file has the size that 8 bits promise."""
    if _runs(case, answer, reference) is None:
        agreement = float(np.mean([(_unit(want) * _unit(have)).sum(axis=1).mean() for want, have in _pairs(case, answer, reference)]))
        if agreement < AGREEMENT:
            return misconceptions.far(case, agreement, AGREEMENT)
    share = len(answer.files[MODEL]) / len(case.files[MODEL])
    if share > SHARE:
        return misconceptions.large(case_facts.read(answer.files[MODEL]), len(answer.files[MODEL]), share, SHARE)
    return None


def embeddings(inputs: Feeds, outputs: Outputs) -> list[np.ndarray]:
    """Of each output one row per sentence: the mean over the tokens that the mask keeps, or the output itself if it has no tokens."""
    mask = inputs[MASK][..., None]
    return [(value * mask).sum(axis=1) / mask.sum(axis=1) if value.ndim == 3 else value for value in outputs]


def digest(case: Case) -> dict[str, np.ndarray]:
    """The embeddings that the argument itself gives: `<run>/<output>`."""
    inputs = cases.feeds(case)
    runs = numerics.run(case.files[MODEL], inputs)
    return numerics.pack([embeddings(values, outputs) for values, [outputs] in zip(inputs, runs, strict=True)])


def _runs(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    try:
        found = _evaluated(answer.files[MODEL], case.name, case.public, case.seed)
    except Exception as error:
        return misconceptions.does_not_run(case, loading.first_line(error))
    for want, have in zip(numerics.unpack(reference), found, strict=True):
        for one, other in zip(want, have, strict=True):
            if other.shape != one.shape or not np.isfinite(other).all():
                return misconceptions.no_embedding(other.shape == one.shape)
    return None


def _pairs(case: Case, answer: Answer, reference: Reference) -> list[tuple[np.ndarray, np.ndarray]]:
    """The embeddings of the float model, and those of the answer."""
    found = _evaluated(answer.files[MODEL], case.name, case.public, case.seed)
    return [pair for want, have in zip(numerics.unpack(reference), found, strict=True) for pair in zip(want, have, strict=True)]


@lru_cache(maxsize=4)
def _evaluated(data: bytes, name: str, public: bool, seed: int) -> list[list[np.ndarray]]:
    inputs = cases.feeds(Case(name, public=public, seed=seed))
    return [embeddings(values, outputs) for values, outputs in zip(inputs, quantized.evaluate(data, inputs), strict=True)]


def _unit(rows: np.ndarray) -> np.ndarray:
    rows = rows.astype(np.float64)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float64).tiny)
