"""Findings of `int8_dynamic`: what a broken rung looks like, and the mistake that most often stands
behind it.

A hidden case's finding names no value of the model: what a student's code writes into a name could
carry the hidden input out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onnx import ValueInfoProto

from formatlab import loading
from formatlab.loading import Unloadable
from formatlab.quantized import Refused
from formatlab_exercises.int8_dynamic.judge.case_facts import CaseFacts
from formatlab_exercises.int8_dynamic.judge.cases import DESCRIPTIONS
from formatlab_exercises.int8_dynamic.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.models import name_of, refusal
from formatlab_exercises.shared.judge.quantized_census import census
from nbjudge.contract import Answer, Case, Finding
from nbjudge.findings import Cause, also

PAGE = "lab-7-01/04-int8"
AFFINE = "lab-7-01/04a-int8-arithmetic#affine-quantization"
INTEGERS = "every product with a weight multiplies 8-bit integers"


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


ARGUMENT_CHANGED = Finding(
    "a new model, and the argument as it was before the call",
    "the model that was passed in is changed",
    Mistakes.mutates_argument,
)


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


CONSTANT_OUTPUT = Finding(
    "every output depends on the graph's inputs",
    "an output that depends on no input",
    Mistakes.stores_one_run,
)


COMPUTED = "the scale of each activation is computed while the model runs"


def static(found: CaseFacts) -> Finding:
    return Finding(
        COMPUTED,
        f"{_of(found, 'static')} quantize their activation with a constant scale",
        Mistakes.static_qdq,
    )


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


def idle_products(products: int) -> Finding:
    return Finding(
        f"outputs that the {products} products of integers compute",
        "products are disturbed, and the outputs do not follow",
        Mistakes.idle_products,
    )


def _of(found: CaseFacts, how: str) -> str:
    return f"{len(found.those(how))} of {len(found.products)} products with weights"


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


def unrecognised(share: float, least: float) -> Finding:
    return Finding(
        f"at least {least:.0%} of the sentences have the embedding that is nearest to their own in the float model",
        f"{share:.0%} have",
        Mistakes.signed_as_unsigned,
    )


def far(case: Case, data: bytes, agreement: float, least: float) -> Finding:
    layers = [each for each in census(loading.parse(data)).layers if each.operator != "Gather"]
    return Finding(
        f"a mean cosine of {least} or more between the embeddings and the float model's",
        f"{agreement:.3f}" if case.public else "less",
        Mistakes.other_product if all(each.per_channel for each in layers) else Mistakes.per_tensor,
    )


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
