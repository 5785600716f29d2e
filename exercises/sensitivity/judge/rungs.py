"""The rungs of `sensitivity`: which layers are in float again, what they cost, and what they bring."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import onnx_ir as ir
from onnx import numpy_helper

from formatlab import loading, quantized
from formatlab.loading import Caps, Unloadable
from formatlab_exercises.sensitivity.ask import SMALL
from formatlab_exercises.sensitivity.judge import choices
from formatlab_exercises.sensitivity.judge.misconceptions import KINDS, Mistakes
from formatlab_exercises.shared.judge import disturbed, twins
from formatlab_exercises.shared.judge.links import constant, written_by
from formatlab_exercises.shared.judge.models import refusal, report
from formatlab_exercises.shared.judge.quantized_loading import known_operators
from formatlab_exercises.shared.judge.stored import weights
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.findings import Misconception
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

LAYERS = ("Conv", "Gemm", "MatMul")
# On so many images the layers are disturbed.
DISTURBED = 24
ALLOWANCE_DB = 1.0
EXPECTED = "each layer is as in the quantized model or as in the float model"
IDLE = "layers are disturbed, and the outputs do not follow"
# What ONNX Runtime and the checker say of two tensors of one name.
TAKEN = ("Duplicate definition of name", "Data in initializer", "initializer name is not unique")
NO_OUTPUTS = "it does not run on an image, or gives no finite numbers of that shape"
NO_OUTPUTS_CAUSE = "Some node reads a tensor that does not fit. Run the model before you return it."


def is_model(view: View) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    finding = outcome.returns("an onnx.ModelProto", KINDS, report)(view)
    if finding is not None and view.answer.outcome == "raised":
        return _with_cause(finding, view.answer.error.get("text", ""))
    return finding


def _with_cause(finding: Finding, text: str) -> Finding:
    """The same finding, with its cause where a library says that two tensors have one name."""
    if any(words in text for words in TAKEN):
        return Finding(finding.expected, finding.found, Mistakes.names_taken)
    return finding


def loads(view: View) -> Finding | None:
    """Within the caps, accepted by the checker and by ONNX Runtime."""
    data, both = (
        view.answer.files[MODEL],
        [Caps.around(view.case.files[name]) for name in (MODEL, SMALL)],
    )
    caps = Caps(
        *(max(getattr(each, name) for each in both) for name in ("bytes", "nodes", "elements"))
    )
    try:
        loading.refuse(data, caps)
        known_operators(loading.parse(data), [])
        loading.validate(data)
    except Unloadable as problem:
        found = refusal(view.case, problem)
        finding = Finding(problem.expected, found, problem.cause, KINDS)
        return _with_cause(finding, problem.found)
    return None


def keeps_signature(view: View) -> Finding | None:
    """The names, types and dimensions of inputs and outputs are as they were."""
    before, after = (
        loading.parse(files[MODEL]).graph for files in (view.case.files, view.answer.files)
    )
    if list(before.input) == list(after.input) and list(before.output) == list(after.output):
        return None
    cause = "Copy the quantized model, and let some of its layers read other values. Nothing else has to change."
    return Finding("the inputs and outputs of the argument", "others", cause, KINDS)


def keeps_the_codes(view: View) -> Finding | None:
    """A layer that is in 8 bits has the codes and scales of the quantized model. A model that is
    quantized anew may be better than the best choice, and is none.
    """
    small, after = weights(view.case.files[SMALL]), weights(view.answer.files[MODEL])
    changed = sum(not after[name].same(small[name]) for name in after.keys() & small.keys())
    if not changed:
        return None
    return Finding(EXPECTED, f"{changed} have other codes or scales", Mistakes.requantized)


def is_one_or_the_other(view: View) -> Finding | None:
    """Each layer has the codes of the quantized model or a float weight, and the outputs follow."""
    if finding := keeps_the_codes(view):
        return finding
    small = weights(view.case.files[SMALL])
    if lost := _lost(view):
        return Finding(
            EXPECTED, f"{len(lost)} of {len(small)} layers: they are neither", Mistakes.lost
        )
    if any(have.reads_codes for have, _ in _put_back(view)):
        return Finding(EXPECTED, "a float weight beside an input in 8 bits", Mistakes.rounded_input)
    if _computes_beside_its_layers(view):
        return Finding(EXPECTED, IDLE, Mistakes.idle_layers)
    return None


def is_as_in_the_float_model(view: View) -> Finding | None:
    """A layer in float has the weight and the bias of the float model."""
    pairs = _put_back(view)
    if any(not np.array_equal(have.weight, want.weight) for have, want in pairs):
        return Finding(EXPECTED, "a float weight that is another one", Mistakes.rounded_weight)
    if any(not np.array_equal(have.bias, want.bias) for have, want in pairs):
        what = "a float weight beside a bias that is not the float model's, or none"
        return Finding(EXPECTED, what, Mistakes.rounded_bias)
    return None


def _put_back(view: View) -> list[tuple[Float, Float]]:
    """The layers in float of the answer that the quantized model has in 8 bits, each beside the
    float model's.
    """
    small, after = weights(view.case.files[SMALL]), weights(view.answer.files[MODEL])
    floats, found = _floats(view.case.files[MODEL]), _floats(view.answer.files[MODEL])
    return [(found[name], floats[name]) for name in (small.keys() - after.keys()) & found.keys()]


def leaves_the_arguments(view: View) -> Finding | None:
    """Both models that were passed in are as they were."""
    if not known(report(view.answer))["argument_changed"]:
        return None
    expected, found = "a new model, and both arguments as they were", "one of them is changed"
    return Finding(expected, found, Mistakes.in_place)


def _computes_beside_its_layers(view: View) -> bool:
    """Whether layers count for nothing, and something else computes what they should."""
    names = frozenset(weights(view.case.files[SMALL]))
    return _idle(view.case.files[MODEL], view.answer.files[MODEL], names, view.case.seed)


@lru_cache(maxsize=32)  # more than there are cases: two rungs look at all of them
def _idle(argument: bytes, answer: bytes, names: frozenset[str], seed: int) -> bool:
    feeds = twins.feeds(argument, np.random.default_rng([seed, 3]), DISTURBED)
    return disturbed.twins_idle(argument, answer, names, feeds)


def _lost(view: View) -> set[str]:
    """The layers, by their outputs, whose weight is neither the stored codes nor stored floats."""
    small, after = weights(view.case.files[SMALL]), weights(view.answer.files[MODEL])
    return small.keys() - after.keys() - _floats(view.answer.files[MODEL]).keys()


@dataclass(frozen=True)
class Float:
    """A layer whose weight is stored in float32. `bias` is empty where none is stored: there is
    none, or it is computed.
    """

    weight: np.ndarray
    bias: np.ndarray
    reads_codes: bool


def _floats(data: bytes) -> dict[str, Float]:
    """The layers whose weight is stored in float32, by the names of their outputs."""
    found: dict[str, Float] = {}
    for node in ir.from_proto(loading.parse(data)).graph:
        tensor = constant(node.inputs[1]) if node.op_type in LAYERS else None
        if tensor is not None and tensor.dtype == ir.DataType.FLOAT:
            bias = constant(node.inputs[2]) if len(node.inputs) > 2 else None
            found[node.outputs[0].name or ""] = Float(
                tensor.numpy(),
                np.zeros(0) if bias is None else bias.numpy(),
                written_by(node.inputs[0], "DequantizeLinear") is not None,
            )
    return found


def fits(view: View) -> Finding | None:
    """The file has at most as many bytes more as are to spare."""
    more, spare = (
        len(view.answer.files[MODEL]) - len(view.case.files[SMALL]),
        view.case.parameters["spare"],
    )
    if more > spare:
        return Finding(
            f"at most {spare} bytes more than the quantized model",
            f"{more} bytes more",
            Mistakes.over_budget,
        )
    return None


def is_the_best(view: View) -> Finding | None:
    """On fresh images the SQNR is less than a decibel below that of the best choice that fits. Where
    a layer is in neither form, or counts for nothing, nothing was chosen.
    """
    if _lost(view):
        return Finding("a choice of layers", "layers in neither form", Mistakes.lost)
    if _computes_beside_its_layers(view):
        return Finding("a choice of layers", IDLE, Mistakes.idle_layers)
    value, best = noise(view.case, view.answer), float(view.reference["sqnr"][0])
    if value > best - ALLOWANCE_DB:
        return None
    if math.isinf(value):
        return Finding("outputs that can be compared", NO_OUTPUTS, NO_OUTPUTS_CAUSE, KINDS)
    if finding := is_as_in_the_float_model(view):  # which explains the noise
        return finding
    chosen = in_float(view.case, view.answer)
    expected, found = "the SQNR of the best choice, or a decibel less", f"{value:.1f} dB"
    if view.case.public:
        expected = f"an SQNR above {best - ALLOWANCE_DB:.1f} dB"
        found += f" with {', '.join(chosen) or 'no layer'} in float"
    right = set(json.loads(bytes(view.reference["chosen"])))
    return Finding(expected, found, _cause(view.case, set(chosen), right, value))


def _cause(case: Case, chosen: set[str], best: set[str], value: float) -> Misconception:
    """Why these layers were chosen, and not the `best`; `value` is the SQNR that they give."""
    weight = {
        node.name: node.input[1]
        for node in loading.parse(case.files[MODEL]).graph.node
        if node.op_type in LAYERS
    }
    order = list(weight)
    if not chosen:
        return Mistakes.unchanged
    if {weight[name] for name in best - chosen} & {weight[name] for name in chosen}:
        return Mistakes.paid_twice
    if chosen < best:
        return Mistakes.only_one
    ends = {order[0], order[-1]}
    if chosen <= ends and not best & ends:
        return Mistakes.ends_alone
    if value > _sqnr(case, case.files[SMALL]) + ALLOWANCE_DB:
        return Mistakes.one_after_the_other
    return Mistakes.by_weight if coarsest(case) in chosen else Mistakes.another_layer


def coarsest(case: Case) -> str:
    """The layer whose weight rounding changed most, in decibels."""
    model = loading.parse(case.files[MODEL])
    layers = {node.output[0]: node for node in model.graph.node if node.op_type in LAYERS}
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    found: dict[str, float] = {}
    for output, weight in weights(case.files[SMALL]).items():
        scale = weight.scale.reshape(-1, 1)
        codes = (weight.codes.astype(float) - weight.zero.reshape(-1, 1)) * scale
        floats = np.moveaxis(stored[layers[output].input[1]], weight.axis, 0)
        found[layers[output].name] = quantized.sqnr(floats.reshape(len(codes), -1), codes)
    return min(found, key=found.__getitem__)


def in_float(case: Case, answer: Answer) -> list[str]:
    """The names of the layers that are in float in the answer, and in 8 bits in the quantized
    model.
    """
    names = {node.output[0]: node.name for node in loading.parse(case.files[MODEL]).graph.node}
    return sorted(
        names[output]
        for output in weights(case.files[SMALL]).keys() - weights(answer.files[MODEL]).keys()
    )


def noise(case: Case, answer: Answer) -> float:
    """The SQNR of an answer beside the float model, on fresh images. Minus infinite where it does not
    run.
    """
    return _sqnr(case, answer.files[MODEL])


def _sqnr(case: Case, model: bytes) -> float:
    feeds = choices.fresh(case.files[MODEL], case.seed)
    [[want]] = quantized.evaluate(case.files[MODEL], [feeds])
    have = twins.evaluated(model, feeds)
    return -math.inf if have is None else min(quantized.sqnr(want, have), 200.0)
