"""The rungs of `saturation`: which pairs of codes fit into 16 bits, what was left alone, and whether
the mended model means the same.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import onnx_ir as ir

from formatlab import loading, quantized
from formatlab.loading import Caps, Unloadable
from formatlab_exercises.saturation.judge import pairs, sharing
from formatlab_exercises.saturation.judge.mended import Mended, mended
from formatlab_exercises.saturation.judge.misconceptions import NATIVE, Mistakes
from formatlab_exercises.shared.judge import disturbed, twins
from formatlab_exercises.shared.judge.links import constant, graph_of, writer
from formatlab_exercises.shared.judge.models import refusal, report
from formatlab_exercises.shared.judge.quantized_loading import known_operators
from formatlab_exercises.shared.judge.stored import Weight, weights
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.findings import Misconception
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

IMAGES = 160
# On so many images the layers are disturbed.
DISTURBED = 24
NODES = "Change codes and scales, and leave the nodes as they are."
# How much further than the reference's a weight may move. Who divides by 127 / 63 is 1.01 times as
# far off; by 127 / 60, 1.06 times; who takes two bits away, twice as far.
SLACK = 1.03
# From which factor on an answer has taken more than half of the codes away; 127 / 63 is 2.02.
HALF_AS_MANY = 2.04
# Halfway between ties that go both ways and ties that all go one way (`mended`).
ONE_WAY = 0.5
# With the argument's weights in place nothing differs. This leaves room for the last bits of sums.
THE_SAME_DB = 60.0


def is_model(view: View) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    return outcome.returns("an onnx.ModelProto", NATIVE, report)(view)


def loads(view: View) -> Finding | None:
    """Within the caps, accepted by the checker and by ONNX Runtime."""
    data = view.answer.files[MODEL]
    try:
        loading.refuse(data, Caps.around(view.case.files[MODEL]), frozenset({"", "com.microsoft"}))
        known_operators(loading.parse(data), [])
        loading.validate(data)
        quantized.exact(loading.parse(data))
    except Unloadable as problem:
        found = refusal(view.case, problem)
        if sharing.writes_twice(data):
            return Finding(problem.expected, found, Mistakes.taken_name)
        return Finding(problem.expected, found, problem.cause, NATIVE)
    except quantized.Refused:
        expected = "quantized operators as ONNX or the quantizers of ONNX Runtime write them"
        return Finding(expected, "another operator", NODES, NATIVE)
    return None


def keeps_inputs_and_outputs(view: View) -> Finding | None:
    """Names, types and dimensions of inputs and outputs are the argument's."""
    before, after = (
        loading.parse(files[MODEL]).graph for files in (view.case.files, view.answer.files)
    )
    if list(before.input) == list(after.input) and list(before.output) == list(after.output):
        return None
    cause = "Copy the argument and change the copy's initializers: nothing else has to change."
    return Finding("the inputs and outputs of the argument", "others", cause, NATIVE)


def leaves_the_argument(view: View) -> Finding | None:
    """The model that was passed in is as it was."""
    if not known(report(view.answer))["argument_changed"]:
        return None
    return Finding(
        "a new model, and the argument as it was",
        "the model that was passed in is changed",
        Mistakes.in_place,
    )


def fits_in_sixteen_bits(view: View) -> Finding | None:
    """Every layer is quantized still, and in none can a pair of products leave 16 bits; where none
    could, nothing is changed; and the outputs follow from these layers.
    """
    before, after = weights(view.case.files[MODEL]), weights(view.answer.files[MODEL])
    if before.keys() - after.keys():
        found = (
            f"{len(before.keys() - after.keys())} of {len(before)} are not, or write another value"
        )
        return Finding(
            "every layer has a weight stored in 8 bits, as before", found, Mistakes.in_floats
        )
    wrong = {name: weight for name, weight in after.items() if weight.saturates}
    if wrong:
        return _saturated(before, after, wrong)
    safe = [name for name, weight in before.items() if not weight.saturates]
    touched = [name for name in safe if not before[name].same(after[name])]
    if touched:
        found = f"{len(touched)} of {len(safe)} were changed"
        expected = "layers in which no pair can leave 16 bits stay as they are"
        if sharing.sharing(view.case.files[MODEL]).issuperset(touched):
            return Finding(expected, found, Mistakes.shared)
        return Finding(expected, found, pairs.why_changed([before[name] for name in touched]))
    feeds = twins.feeds(
        view.case.files[MODEL], np.random.default_rng([view.case.seed, 3]), DISTURBED
    )
    models = view.case.files[MODEL], view.answer.files[MODEL]
    if disturbed.twins_idle(*models, before.keys(), feeds):
        found = "layers are disturbed, and the outputs do not follow"
        expected = f"outputs that the {len(before)} layers compute"
        return Finding(expected, found, Mistakes.idle_layers)
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
        return Finding(expected, found, Mistakes.unchanged)
    untouched = [weight for name, weight in wrong.items() if before[name].same(weight)]
    return Finding(expected, found, pairs.why_left(untouched) if untouched else Mistakes.not_enough)


def rounds_both_ways(view: View) -> Finding | None:
    """Ties do not all go one way."""
    return next(filter(None, map(_rounded_one_way, mended(view.case, view.answer))), None)


def fits_the_kernel(view: View) -> Finding | None:
    """Each bias has the product of the other two scales, as a kernel of integers takes it to."""
    shared = sharing.sharing(view.case.files[MODEL])
    for name, weight in weights(view.answer.files[MODEL]).items():
        if weight.bias is not None:
            product = weight.scale * weight.x_scale
            if weight.bias[1].size not in (1, product.size) or not np.allclose(
                weight.bias[1], product, rtol=1e-4, atol=0
            ):
                with np.errstate(all="ignore"):  # a scale of 0 has no ratio
                    ratio = np.median(weight.bias[1]) / np.median(product)
                found = (
                    f"one is {ratio:.3g} times that, in the middle of its channels"
                    if view.case.public
                    else "another one"
                )
                return Finding(
                    "the scale of a bias is that of the input times that of the weight",
                    found,
                    Mistakes.shared if name in shared else Mistakes.bias_left,
                )
    return None


def means_the_same(view: View) -> Finding | None:
    """Each layer that had to change is as near to what it was as one bit less allows; everything
    else computes what it did, in exact arithmetic.
    """
    for layer in mended(view.case, view.answer):
        if finding := _moved(layer, SLACK * float(view.reference["steps"][0])):
            return finding
    found = sqnr_of_the_rest(view.case, view.answer)
    if found >= THE_SAME_DB:
        return None
    expected = "with the argument's weights in place, the argument's outputs"
    if math.isinf(found):
        return Finding(
            expected, "it does not run on an image, or gives other outputs", NODES, NATIVE
        )
    return Finding(expected, f"an SQNR of {found:.1f} dB beside them", NODES, NATIVE)


def _moved(layer: Mended, most: float) -> Finding | None:
    if not layer.is_laid_out_alike:
        expected = "weights and biases in codes, in the order that they had"
        return Finding(expected, "a layer that is stored in another way", NODES, NATIVE)
    expected = "every weight and bias within one of its old steps of what it was"
    if not layer.furthest <= most:
        found = f"a weight is {layer.furthest:.3g} steps away"
        return Finding(expected, found, _cause(layer))
    if not layer.furthest_bias <= most:
        found = f"a bias is {layer.furthest_bias:.3g} steps away"
        halved = layer.has_its_bias_codes
        return Finding(expected, found, Mistakes.bias_halved if halved else Mistakes.scale_left)
    return None


def _cause(layer: Mended) -> Misconception:
    """What was done to codes and scale of a layer whose weights are too far off."""
    if layer.after.codes.dtype != layer.before.codes.dtype:
        return Mistakes.zero_point_left
    if layer.has_its_scale:
        return Mistakes.clips if layer.is_cut_off else Mistakes.scale_left
    return Mistakes.too_few_bits if layer.factor > HALF_AS_MANY else Mistakes.floors


def _rounded_one_way(layer: Mended) -> Finding | None:
    """Ties may go to the even number, which is up as often as down, and inwards as often as
    outwards.
    """
    expected = "ties that do not all go up, down, or towards 0"
    if abs(layer.upwards) > ONE_WAY:
        found = f"nearly all ties go {'up' if layer.upwards > 0 else 'down'}"
        return Finding(expected, found, Mistakes.floors)
    if layer.inwards > ONE_WAY:
        return Finding(expected, "nearly all ties go towards 0", Mistakes.cuts_towards_zero)
    return None


def steps(case: Case, answer: Answer) -> float:
    """How far the weights of the layers that had to change have moved."""
    return max(layer.furthest for layer in mended(case, answer))


def sqnr_of_the_rest(case: Case, answer: Answer) -> float:
    """The SQNR of an answer beside the argument, in exact arithmetic, with the argument's weights
    in both: the other rungs and findings have judged those of the answer.
    """
    feeds = twins.feeds(case.files[MODEL], np.random.default_rng([case.seed, 2]), IMAGES)
    models = case.files[MODEL], _with_its_old_layers(case, answer)
    want, have = (twins.evaluated(model, feeds) for model in models)
    if want is None:
        raise ValueError(f"the case {case.name!r} does not run")
    return -math.inf if have is None else min(quantized.sqnr(want, have), 200.0)


def _with_its_old_layers(case: Case, answer: Answer) -> bytes:
    """The answer, in which each layer reads the argument's codes again."""
    before, after = weights(case.files[MODEL]), weights(answer.files[MODEL])
    model, argument = (ir.from_proto(loading.parse(each.files[MODEL])) for each in (answer, case))
    originals = {node.outputs[0].name: node for node in argument.graph}
    kept = {name: Mended(before[name], after[name]) for name in before.keys() & after.keys()}
    for node in list(model.graph):
        name = node.outputs[0].name
        if name in kept and kept[name].is_laid_out_alike:
            _put_back(node, originals[name])
    return ir.to_proto(model).SerializeToString()


def _put_back(layer: ir.Node, original: ir.Node) -> None:
    """Weight and bias come out of new nodes: what the layer read, another one may read too."""
    graph = graph_of(layer)
    for place, value in enumerate(original.inputs[1:], 1):
        stored = writer(value)
        if stored is None:
            continue
        codes = []
        for part, tensor in enumerate(map(constant, stored.inputs)):
            if tensor is not None:
                name = f"{layer.outputs[0].name}/kept/{place}/{part}"
                copy = ir.tensor(tensor.numpy(), name=name)
                codes.append(ir.Value(name=name, const_value=copy))
                graph.register_initializer(codes[-1])
        node = ir.node("DequantizeLinear", codes, attributes=dict(stored.attributes))
        graph.insert_before(layer, node)
        layer.replace_input_with(place, node.outputs[0])
