"""The rungs of `int8_dynamic`. Each looks at one case.

No native INT8 kernel runs here: `quantized.evaluate` gives every processor the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from onnx import ValueInfoProto

from formatlab import loading, numerics, quantized
from formatlab.loading import Unloadable
from formatlab.numerics import Feeds, Outputs
from formatlab.quantized import Refused
from formatlab_exercises.int8_dynamic.judge import case_facts, cases
from formatlab_exercises.int8_dynamic.judge.case_facts import CaseFacts
from formatlab_exercises.int8_dynamic.judge.case_models import MASK
from formatlab_exercises.int8_dynamic.judge.cases import DESCRIPTIONS
from formatlab_exercises.int8_dynamic.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge import disturbed, models, quantized_loading
from formatlab_exercises.shared.judge.models import name_of, refusal
from formatlab_exercises.shared.judge.quantized_census import census
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.findings import Cause, also
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

PAGE = "lab-7-01/04-int8"
AFFINE = "lab-7-01/04a-int8-arithmetic#affine-quantization"
INTEGERS = "every product with a weight multiplies 8-bit integers"
ARGUMENT_CHANGED = Finding(
    "a new model, and the argument as it was before the call",
    "the model that was passed in is changed",
    Mistakes.mutates_argument,
)
CONSTANT_OUTPUT = Finding(
    "every output depends on the graph's inputs",
    "an output that depends on no input",
    Mistakes.stores_one_run,
)
COMPUTED = "the scale of each activation is computed while the model runs"

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
    finding = outcome.returns("an onnx.ModelProto", f"{PAGE}#dynamic-and-static", models.report)(
        view
    )
    if finding is not None and view.answer.outcome == "raised":
        return raised(view.case, view.answer, finding)
    if finding is not None and view.answer.outcome == "wrong_type":
        return wrong_type(finding)
    return finding


def raised(case: Case, answer: Answer, finding: Finding) -> Finding:
    """The quantizer's own exceptions have causes that its texts do not tell."""
    cause: Cause
    text = answer.error.get("text", "")
    if "Inferred shape and existing shape differ" in text:
        cause = Mistakes.as_exported
    elif "Incomplete symbolic shape inference" in text:
        cause = Mistakes.preprocess_gives_up
    elif "Unable to find data type for weight_name" in text:
        cause = Mistakes.fused_first
    else:
        cause = finding.cause
    return replace(finding, cause=also(cause, f"The case: {DESCRIPTIONS[case.name]}"))


def wrong_type(finding: Finding) -> Finding:
    cause: Cause
    if finding.found == "NoneType":
        cause = Mistakes.returns_none
    elif finding.found in ("str", "PosixPath"):
        cause = Mistakes.returns_path
    else:
        cause = finding.cause
    return replace(finding, cause=cause)


def loads(view: View) -> Finding | None:
    """Within the caps, accepted by the checker and by ONNX Runtime, and of operators that every
    processor computes alike.
    """
    try:
        quantized_loading.admit(view, NODES_PER_NODE, 3)
    except Unloadable as problem:
        return unloadable(view.case, problem)
    except quantized.Refused as problem:
        return refused(view.case, problem)
    return None


def unloadable(case: Case, problem: Unloadable) -> Finding:
    found = refusal(case, problem)
    return Finding(problem.expected, found, problem.cause, f"{PAGE}#dynamic-and-static")


def refused(case: Case, problem: Refused) -> Finding:
    found = str(problem) if case.public else "an operator that only one runtime knows"
    cause = "The runtime's optimizer was asked to save what it made for itself. Hand in the model before it is fused for one machine."
    return Finding(
        "operators of ONNX, or quantized ones of com.microsoft",
        found,
        cause,
        f"{PAGE}#why-is-int8-slower",
    )


def keeps_signature(view: View) -> Finding | None:
    """Names, types and dimensions of the graph's inputs and outputs are the argument's."""
    original, model = loading.parse(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    for kind in ("input", "output"):
        expected, found = (list(getattr(which.graph, kind)) for which in (original, model))
        if [value.name for value in expected] != [value.name for value in found]:
            return other_names(view.case, kind, expected, found)
        for want, have in zip(expected, found, strict=True):
            if signature(want) != signature(have):
                return other_type(view.case, kind, want, have)
    return None


def signature(value: ValueInfoProto) -> tuple:
    """Element type and dimensions."""
    tensor = value.type.tensor_type
    return (
        tensor.elem_type,
        tensor.HasField("shape"),
        tuple(dim.dim_param or dim.dim_value for dim in tensor.shape.dim),
    )


def other_names(
    case: Case, kind: str, expected: Sequence[ValueInfoProto], found: Sequence[ValueInfoProto]
) -> Finding:
    names = [", ".join(name_of(value.name) for value in values) for values in (expected, found)]
    return Finding(
        f"the graph's {kind}s by the names and in the order of the argument"
        + (f": {names[0]}" if case.public else ""),
        names[1] if case.public else f"{kind}s of other names, or in another order",
        Mistakes.exports_again,
    )


def other_type(case: Case, kind: str, want: ValueInfoProto, have: ValueInfoProto) -> Finding:
    fixed = any(
        isinstance(one, str) and isinstance(other, int)
        for one, other in zip(signature(want)[2], signature(have)[2], strict=False)
    )
    cause = (
        Mistakes.fixed_batch
        if fixed
        else "Inputs and outputs keep their element types: INT8 lives inside the graph."
    )
    return Finding(
        f"type and dimensions of each graph {kind} as in the argument"
        + (f": {_show(want)}" if case.public else ""),
        _show(have) if case.public else f"a graph {kind} of another type or other dimensions",
        cause,
        f"{PAGE}#dynamic-and-static",
    )


def _show(value: ValueInfoProto) -> str:
    element, _, dims = signature(value)
    return f"{name_of(value.name)}, element type {element}, [{', '.join(str(dim or '?') for dim in dims)}]"


def multiplies_integers(view: View) -> Finding | None:
    """Every product with a weight is one of integers, the scale of its activation comes out of the
    activation, and the outputs follow from these products.
    """
    original, found = (
        case_facts.read(view.case.files[MODEL]),
        case_facts.read(view.answer.files[MODEL]),
    )
    if found.constant_outputs:
        return CONSTANT_OUTPUT
    if found.those("static"):
        return static(found)
    if found.those("divided"):
        return divided(found)
    if found.those("restored"):
        return restored(found)
    if found.those("half"):
        return half(found)
    if found.those("float"):
        return left_in_float(original, found)
    if found.elements < original.elements:
        return keeps_signature(view) or products_lost(original, found)
    return _computes_beside_its_products(view, len(found.products))


def static(found: CaseFacts) -> Finding:
    return Finding(
        COMPUTED,
        f"{_of(found, 'static')} quantize their activation with a constant scale",
        Mistakes.static_qdq,
    )


def _of(found: CaseFacts, how: str) -> str:
    return f"{len(found.those(how))} of {len(found.products)} products with weights"


def divided(found: CaseFacts) -> Finding:
    return Finding(
        COMPUTED,
        f"{_of(found, 'divided')} divide their activation by a constant",
        Mistakes.constant_range,
    )


def restored(found: CaseFacts) -> Finding:
    return Finding(
        INTEGERS,
        f"{_of(found, 'restored')} turn their weight back into floats first",
        Mistakes.weight_only,
    )


def half(found: CaseFacts) -> Finding:
    return Finding(INTEGERS, f"{_of(found, 'half')} multiply float16 numbers", Mistakes.half)


def left_in_float(original: CaseFacts, found: CaseFacts) -> Finding:
    left = found.those("float")
    if len(left) < len(found.products):
        return Finding(
            INTEGERS, f"{_of(found, 'float')} are left in float", Mistakes.first_product_only
        )
    if found.tables < original.tables:
        return Finding(
            INTEGERS,
            "the embedding tables are quantized, and no product is",
            Mistakes.gather_only,
        )
    return Finding(INTEGERS, "no product is quantized", Mistakes.unchanged)


def products_lost(original: CaseFacts, found: CaseFacts) -> Finding:
    return Finding(
        f"products with weights of {original.elements} numbers in all",
        f"products with weights of {found.elements}",
        "Layers are missing, or their work is done by another operator than a matrix product.",
        f"{PAGE}#dynamic-and-static",
    )


def _computes_beside_its_products(view: View, products: int) -> Finding | None:
    """What is wrong where products count for nothing, and something else computes what they should."""
    data, answer = view.case.files[MODEL], view.answer.files[MODEL]
    idle = disturbed.idle(data, answer, case_facts.sites, cases.feeds(view.case)[1])
    return idle_products(products) if idle else None


def idle_products(products: int) -> Finding:
    return Finding(
        f"outputs that the {products} products of integers compute",
        "products are disturbed, and the outputs do not follow",
        Mistakes.idle_products,
    )


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
                return unrecognised(share, RECOGNISED)
    return None


def unrecognised(share: float, least: float) -> Finding:
    return Finding(
        f"at least {least:.0%} of the sentences have the embedding that is nearest to their own in the float model",
        f"{share:.0%} have",
        Mistakes.signed_as_unsigned,
    )


def is_close(view: View) -> Finding | None:
    """The embeddings agree with the float model's."""
    finding = _runs(view)
    if finding is not None:
        return finding
    agreement = float(
        np.mean([(_unit(want) * _unit(have)).sum(axis=1).mean() for want, have in _pairs(view)])
    )
    if agreement < AGREEMENT:
        return far(view.case, view.answer.files[MODEL], agreement, AGREEMENT)
    return None


def far(case: Case, data: bytes, agreement: float, least: float) -> Finding:
    layers = [each for each in census(loading.parse(data)).layers if each.operator != "Gather"]
    return Finding(
        f"a mean cosine of {least} or more between the embeddings and the float model's",
        f"{agreement:.3f}" if case.public else "less",
        Mistakes.other_product if all(each.per_channel for each in layers) else Mistakes.per_tensor,
    )


def is_small(view: View) -> Finding | None:
    """The file has the size that 8 bits promise."""
    data = view.answer.files[MODEL]
    share = len(data) / len(view.case.files[MODEL])
    return large(case_facts.read(data), len(data), share, SHARE) if share > SHARE else None


def large(found: CaseFacts, size: int, share: float, most: float) -> Finding:
    expected, text = f"a file of at most {most:.0%} of the argument's bytes", f"{share:.0%}"
    if 2 * found.tables > (share - most) * size:
        return Finding(expected, f"{text}, with float32 tables behind Gather", Mistakes.matmul_only)
    if 2 * found.unused > (share - most) * size:
        return Finding(
            expected, f"{text}, with initializers that no node reads", Mistakes.float_kept
        )
    return Finding(
        expected,
        text,
        "Weights are stored wider than 8 bits, or twice.",
        f"{PAGE}#dynamic-and-static",
    )


def leaves_the_argument(view: View) -> Finding | None:
    """The model that was passed in is as it was before the call."""
    changed = known(models.report(view.answer))["argument_changed"]
    return ARGUMENT_CHANGED if changed else None


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
        return keeps_signature(view) or does_not_run(view.case, loading.first_line(error))
    for want, have in zip(numerics.unpack(view.reference), found, strict=True):
        if len(have) != len(want):  # the contract has said so
            return no_embedding(False)
        for one, other in zip(want, have, strict=True):
            if other.shape != one.shape or not np.isfinite(other).all():
                return no_embedding(other.shape == one.shape)
    return None


def does_not_run(case: Case, message: str) -> Finding:
    return Finding(
        "the model runs on a batch with padding, and on one short sentence",
        message if case.public else "it loads, and fails when it runs",
        "A size was fixed that the argument leaves open, or a scale does not fit the tensor that it belongs to.",
        f"{PAGE}#dynamic-and-static",
    )


def no_embedding(right_shape: bool) -> Finding:
    return Finding(
        "outputs of the argument's shapes, all finite",
        "NaN or infinity" if right_shape else "an output of another shape",
        "A scale of zero, or a product along the wrong axis.",
        AFFINE,
    )


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
