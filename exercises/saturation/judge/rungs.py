"""The rungs of `saturation`: which pairs of codes fit into 16 bits, what was left alone, and what
the mended model computes.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx_ir as ir

from autograder.contract import Answer, Case, Finding, View
from autograder.rungs import outcome
from exercises.saturation.judge import misconceptions
from exercises.saturation.judge.misconceptions import NATIVE
from exercises.shared.judge import signature
from exercises.shared.judge.models import refusal, report
from exercises.shared.judge.stored import Weight, weights
from exercises.shared.judge.twins import images
from exercises.shared.surgery import MODEL
from workbench import loading, quantized
from workbench.loading import Caps, Unloadable

IMAGES = 160
# Less than a bit, which is 6. In nets of so few outputs two right ways to round came out up to
# 4.6 dB apart, and two bits more than needed at least 5.4 dB below one.
ALLOWANCE_DB = 5.0
SEVEN_BITS = 64


def is_model(view: View) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    return outcome.returns("an onnx.ModelProto", NATIVE, report)(view)


def loads(view: View) -> Finding | None:
    """Within the caps, accepted by the checker and by ONNX Runtime."""
    data = view.answer.files[MODEL]
    try:
        loading.refuse(data, Caps.around(view.case.files[MODEL]), frozenset({"", "com.microsoft"}))
        loading.validate(data)
        quantized.exact(loading.parse(data))
    except Unloadable as problem:
        found = refusal(view.case, problem)
        return Finding(problem.expected, found, problem.cause, NATIVE)
    except quantized.Refused:
        expected = "quantized operators as ONNX or the quantizers of ONNX Runtime write them"
        return Finding(
            expected,
            "another operator",
            "Change codes and scales, and leave the nodes as they are.",
            NATIVE,
        )
    return None


def keeps_signature(view: View) -> Finding | None:
    """The argument is as it was, and so are the names, types and dimensions of inputs and outputs."""
    changed = Finding(
        "a new model, and the argument as it was",
        "the model that was passed in is changed",
        misconceptions.in_place,
    )
    cause = "Copy the argument and change the copy's initializers: nothing else has to change."
    return signature.keeps_inputs_and_outputs(view, changed, cause, NATIVE)


def fits_in_sixteen_bits(view: View) -> Finding | None:
    """Every layer is quantized still, and in none can a pair of products leave 16 bits; where none
    could, nothing is changed.
    """
    before, after = weights(view.case.files[MODEL]), weights(view.answer.files[MODEL])
    if before.keys() - after.keys():
        found = (
            f"{len(before.keys() - after.keys())} of {len(before)} are not, or write another value"
        )
        return Finding(
            "every layer has a weight stored in 8 bits, as before", found, misconceptions.in_floats
        )
    wrong = {name: weight for name, weight in after.items() if weight.saturates}
    if wrong:
        return _saturated(before, after, wrong)
    safe = [name for name, weight in before.items() if not weight.saturates]
    touched = [name for name in safe if not before[name].same(after[name])]
    if touched:
        return _touched(before[touched[0]], len(touched), len(safe))
    return None


def _saturated(
    before: dict[str, Weight], after: dict[str, Weight], wrong: dict[str, Weight]
) -> Finding:
    expected = "the two largest codes of each output add up to 128 at most, the two smallest to -128 at least"
    kinds = ", ".join(
        f"{name} ({number})"
        for name, number in sorted(Counter(weight.operator for weight in wrong.values()).items())
    )
    found = f"{len(wrong)} of {len(after)} layers go beyond: {kinds}"
    if all(before[name].same(after[name]) for name in before if before[name].saturates):
        return Finding(expected, found, misconceptions.unchanged)
    untouched = any(before[name].same(weight) for name, weight in wrong.items())
    return Finding(
        expected, found, misconceptions.some_layers if untouched else misconceptions.not_enough
    )


def _touched(first: Weight, touched: int, safe: int) -> Finding:
    expected = "layers in which no pair can leave 16 bits stay as they are"
    cause = misconceptions.all_layers
    if first.codes.dtype == np.uint8:
        cause = misconceptions.unsigned_too
    elif np.abs(first.codes.astype(int)).max() > SEVEN_BITS:
        cause = misconceptions.one_weight
    return Finding(expected, f"{touched} of {safe} were changed", cause)


def fits_the_kernel(view: View) -> Finding | None:
    """Each bias has the product of the other two scales, as a kernel of integers takes it to."""
    for weight in weights(view.answer.files[MODEL]).values():
        if weight.bias is not None:
            product = weight.scale * weight.x_scale
            ratio = np.median(weight.bias[1]) / np.median(product)
            if weight.bias[1].size not in (1, product.size) or not np.allclose(
                weight.bias[1], product, rtol=1e-4, atol=0
            ):
                found = (
                    f"one is {ratio:.3g} times that, in the middle of its channels"
                    if view.case.public
                    else "another one"
                )
                return Finding(
                    "the scale of a bias is that of the input times that of the weight",
                    found,
                    misconceptions.bias_left,
                )
    return None


def means_the_same(view: View) -> Finding | None:
    """In exact arithmetic, on fresh images, it is as near to the argument as rounding away one bit
    allows.
    """
    found, limit = noise(view.case, view.answer), float(view.reference["sqnr"][0]) - ALLOWANCE_DB
    if found >= limit:
        return None
    expected = (
        f"an SQNR of {limit:.1f} dB beside the argument"
        if view.case.public
        else "the SQNR that one bit less leaves"
    )
    before, after = weights(view.case.files[MODEL]), weights(view.answer.files[MODEL])
    return Finding(expected, f"{found:.1f} dB", _cause(before, after))


def _cause(before: dict[str, Weight], after: dict[str, Weight]):
    """What was done to the layers that had to change: by their codes, scales and biases."""
    pairs = [
        (weight, after[name])
        for name, weight in before.items()
        if weight.saturates and name in after
    ]
    pairs = [
        (a, b)
        for a, b in pairs
        if b.codes.dtype == np.int8
        and a.codes.shape == b.codes.shape
        and a.scale.shape == b.scale.shape
    ]
    if any(np.array_equal(a.scale, b.scale) for a, b in pairs):
        same = all(
            np.array_equal(np.clip(a.codes, b.codes.min(), b.codes.max()), b.codes)
            for a, b in pairs
        )
        return misconceptions.clips if same else misconceptions.scale_left
    if any(a.bias and b.bias and np.array_equal(a.bias[0], b.bias[0]) for a, b in pairs):
        return misconceptions.bias_halved
    factors = [float(np.median(b.scale / a.scale)) for a, b in pairs]
    if any(factor > 2.5 for factor in factors):
        return misconceptions.too_few_bits
    return misconceptions.floors


def noise(case: Case, answer: Answer) -> float:
    """The SQNR of an answer beside the argument, in exact arithmetic. Layers that had to stay are as
    they were: `fits_in_sixteen_bits` has judged them.
    """
    feeds = {"image": images(np.random.default_rng([case.seed, 2]), IMAGES)}
    models = case.files[MODEL], _with_safe_layers(case, answer)
    [[want]], [[have]] = (quantized.evaluate(model, [feeds]) for model in models)
    return min(quantized.sqnr(want, have), 200.0)


def _with_safe_layers(case: Case, answer: Answer) -> bytes:
    """The answer, in which a layer that had to stay reads the argument's codes again."""
    before, after = weights(case.files[MODEL]), weights(answer.files[MODEL])
    model, argument = (ir.from_proto(loading.parse(each.files[MODEL])) for each in (answer, case))
    originals = {node.outputs[0].name: node for node in argument.graph}
    safe = {name for name, weight in before.items() if not weight.saturates} & after.keys()
    for node in list(model.graph):
        name = node.outputs[0].name
        if name in safe and _is_alike(before[name], after[name]):
            _put_back(node, originals[name])
    return ir.to_proto(model).SerializeToString()


def _is_alike(before: Weight, after: Weight) -> bool:
    shapes = [
        (each.codes.shape, each.axis, each.bias and each.bias[0].shape) for each in (before, after)
    ]
    return shapes[0] == shapes[1]


def _put_back(layer: ir.Node, original: ir.Node) -> None:
    """Weight and bias come out of new nodes: what the layer read, another one may read too."""
    graph = layer.graph
    for place, value in enumerate(original.inputs[1:], 1):
        stored = value.producer()
        codes = [
            ir.Value(
                name=f"{layer.outputs[0].name}/kept/{place}/{part}",
                const_value=ir.tensor(each.const_value.numpy()),
            )
            for part, each in enumerate(stored.inputs)
        ]
        for each in codes:
            each.const_value.name = each.name
            graph.register_initializer(each)
        node = ir.node("DequantizeLinear", codes, attributes=dict(stored.attributes))
        graph.insert_before(layer, node)
        layer.replace_input_with(place, node.outputs[0])
