"""The rungs of `int8_static`. Each looks at one case.

No native INT8 kernel runs here: `quantized.evaluate` gives every processor the same numbers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import onnx_ir as ir
from onnx import ModelProto, TensorProto, ValueInfoProto
from onnx.numpy_helper import to_array

from formatlab import graphs, loading, numerics, quantized
from formatlab.loading import Unloadable
from formatlab.numerics import Difference, Outputs
from formatlab.quantized import Refused
from formatlab.quantized_operators import catalogue
from formatlab_exercises.int8_static.ask import CALIBRATION, MODEL, REPORT, unpacked
from formatlab_exercises.int8_static.judge import images
from formatlab_exercises.int8_static.judge.cases import DESCRIPTIONS
from formatlab_exercises.int8_static.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge import disturbed, quantized_loading
from formatlab_exercises.shared.judge.disturbed import Site
from formatlab_exercises.shared.judge.models import name_of, refusal
from formatlab_exercises.shared.judge.quantized_census import Census, census, counted
from formatlab_exercises.shared.judge.quantized_layers import Layer
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.findings import Cause, Misconception, also
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

PAGE = "lab-7-01/04-int8"
AFFINE = "lab-7-01/04a-int8-arithmetic#affine-quantization"
CALIBRATE = f"{PAGE}#calibration"
KINDS = f"{PAGE}#dynamic-and-static"
RAISED: dict[str, Cause] = {
    "not regular file": Mistakes.emptied,
    "No data is collected": Mistakes.used_up,
    "existing shape differ": "The exporter notes the shapes of weights, and the quantizer transposes a weight. Pre-process first.",
    "Required inputs": "Each feed is a dictionary with every input of the model, by name. Pass the feeds on as they are.",
    "Invalid input name": "A feed has an entry that is no input of the model. Pass the feeds on as they are.",
}
ARGUMENT_CHANGED = Finding(
    "a new model, and the argument as it was before the call",
    "the model that was passed in is changed",
    Mistakes.in_place,
)
CONSTANT_OUTPUT = Finding(
    "every output depends on the graph's inputs",
    "an output that depends on no input",
    Mistakes.stores_one_run,
)
OTHER_WIDTHS = ("int16", "int32", "int4", "int2", "float8")
# What is missing in a layer that is not quantized as asked, which tells how it came about; asked in
# this order.
MISSING: tuple[tuple[Callable[[Layer], bool], str, Misconception], ...] = (
    (
        lambda layer: layer.dynamic,
        "compute the scale of their activations in every run",
        Mistakes.dynamic,
    ),
    (lambda layer: layer.stored == "float16", "hold float16", Mistakes.half_precision),
    (
        lambda layer: "int" in layer.weights and "float" in layer.stored,
        "store their weights as float, and quantize them when they run",
        Mistakes.pretends,
    ),
    (
        lambda layer: "int" in layer.stored and "int" not in layer.activations,
        "have 8-bit weights and float activations",
        Mistakes.weights_only,
    ),
    (
        lambda layer: any(width in layer.activations + layer.weights for width in OTHER_WIDTHS),
        "have another width",
        Mistakes.sixteen_bits,
    ),
)
# An input's range that is so many times narrower, or wider, than that of the calibration images was
# not taken from them.
NARROW, WIDE, FAR_WIDER = 0.7, 2.5, 50.0
# So far, in ranges of the images, an end of the stored range may lie from that of the images.
OUTSIDE, CUT = 0.25, 0.1
# And so far an end that is the last feed's, as a scale and a zero point can store it.
NEAR = 0.01
# A zero point there makes the range symmetric, and then one end lies where it may.
CENTRES = (127, 128)
TRIMMED = "The range is narrower than that of the images, and what lies outside is cut off: too few images, or a rule that trims."

SHARE = 0.40
# One bit is 6.02 dB: what symmetric activations lose where nothing is negative. The rest is for
# what chance makes of a hundred images.
ALLOWANCE_DB = 8.0
# Around each layer a pair of nodes for what comes in, what goes out, the weight and the bias;
# integer operators written out take as many.
NODES_PER_NODE = 12
EIGHT_BITS = ("int8", "uint8")
# On so many images the layers are disturbed.
DISTURBED = 24


def report(answer: Answer) -> dict | None:
    """What `call` noted: was the argument changed, and how many of the calibration feeds were
    taken. None for anything else.
    """
    found = outcome.report(answer, REPORT, argument_changed=bool, taken=int)
    return found if MODEL in answer.files else None


def is_model(view: View) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    finding = outcome.returns("an onnx.ModelProto", KINDS, report)(view)
    if finding is not None and view.answer.outcome == "raised":
        return raised(view.case, view.answer, finding)
    return finding


def raised(case: Case, answer: Answer, finding: Finding) -> Finding:
    text = answer.error.get("text", "")
    cause = next((cause for words, cause in RAISED.items() if words in text), finding.cause)
    return replace(
        finding, cause=also(cause, f"The case: {DESCRIPTIONS.get(case.name, '')}"), read=CALIBRATE
    )


def loads(view: View) -> Finding | None:
    """Within the caps, accepted by the checker and by ONNX Runtime, and of operators that every
    processor computes alike.
    """
    try:
        quantized_loading.admit(view, NODES_PER_NODE, 2, functions=False)
    except Unloadable as problem:
        return unloadable(view.case, problem)
    except quantized.Refused as problem:
        return refused(problem)
    return None


def unloadable(case: Case, problem: Unloadable) -> Finding:
    found = refusal(case, problem)
    return Finding(problem.expected, found, problem.cause, KINDS)


def refused(problem: Refused) -> Finding:
    return Finding(
        "quantized operators as ONNX or the quantizers of ONNX Runtime write them",
        "an operator that only a runtime's optimizer writes",
        f"Save the quantizer's own result, not what a session made of it for this processor. {problem.args[0].split(': ', 1)[-1]}.",
        KINDS,
    )


def keeps_signature(view: View) -> Finding | None:
    """The graph's inputs and outputs are the argument's."""
    original, model = loading.parse(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    for kind in ("input", "output"):
        want, have = (
            [_signature(value) for value in values]
            for values in (getattr(original.graph, kind), _fed(model, kind))
        )
        if want != have:
            return other_signature(view.case, kind, want, have)
    return None


def other_signature(case: Case, kind: str, want: Sequence[tuple], have: Sequence[tuple]) -> Finding:
    """Inputs or outputs of other names, types or shapes: the cause that fits what is different."""
    cause: Cause
    expected = f"the names, types and shapes of the graph's {kind}s as in the argument"
    if [name for name, _, _ in want] != [name for name, _, _ in have]:
        found, cause = (
            f"{kind}s of other names, number or order",
            "A caller of the model feeds inputs and asks for outputs by name.",
        )
    elif [kind for _, kind, _ in want] != [kind for _, kind, _ in have]:
        types = {
            TensorProto.INT8: "int8",
            TensorProto.UINT8: "uint8",
            TensorProto.FLOAT16: "float16",
        }
        found = f"an {kind} of type {types.get(next(b for (_, a, _), (_, b, _) in zip(want, have, strict=True) if a != b), 'another')}"
        cause = "The caller's numbers stay float: QuantizeLinear stands behind the input, DequantizeLinear in front of the output."
    else:
        found, cause = f"an {kind} of another shape", Mistakes.fixed_batch
    if case.public and "other names" in found:
        found += f": {', '.join(name_of(name) for name, _, _ in have[:4])}"
    return Finding(expected, found, cause, KINDS)


def quantizes_every_layer(view: View) -> Finding | None:
    """Every layer has weights stored in 8 bits and activations of constant scale, none is missing,
    the outputs follow from them, and every calibration feed was taken.
    """
    model = loading.parse(view.answer.files[MODEL])
    if graphs.constant_outputs(model):
        return CONSTANT_OUTPUT
    argument = loading.parse(view.case.files[MODEL])
    original, found = census(argument), census(model)
    before, layers = original.layers, found.layers
    wrong = [layer for layer in layers if layer.operator != "Gather" and not _is_static(layer)]
    if wrong:
        in_nodes = any(node.op_type == "Constant" for node in argument.graph.node)
        return not_static(wrong, layers, len(before), in_nodes)
    if found.weightless > original.weightless:
        return made_weights(found.weightless - original.weightless)
    missing = Counter(layer.elements for layer in before) - Counter(
        layer.elements for layer in layers
    )
    if missing:
        return not_quantized(missing.total(), len(before))
    taken, batches = (
        known(report(view.answer))["taken"],
        len(unpacked(view.case.files[CALIBRATION])),
    )
    if taken < batches:
        return not_calibrated(taken, batches)
    return _computes_beside_its_layers(view, len(layers))


def not_calibrated(taken: int, batches: int) -> Finding:
    expected = "every feed of the calibration data is taken"
    if taken == 0:
        return Finding(expected, f"none of {batches} was taken", Mistakes.random)
    return Finding(
        expected,
        f"{taken} of {batches} {'was' if taken == 1 else 'were'} taken",
        Mistakes.first_feed,
    )


def not_static(
    wrong: Sequence[Layer], layers: Sequence[Layer], before: int, in_nodes: bool
) -> Finding:
    """Layers that are not quantized as asked; the argument had `before` of them, some with a weight
    in a Constant node if `in_nodes`.
    """
    expected = "each layer (Conv, Gemm, MatMul) with weights stored in 8 bits, and 8-bit activations of constant scale"
    count = f"{len(wrong)} of {len(layers)} layers"
    for shows, found, cause in MISSING:
        if any(map(shows, wrong)):
            if cause is Mistakes.pretends and in_nodes:
                cause = Mistakes.constant_weights
            return Finding(expected, f"{count} {found}", cause)
    kinds = Counter(layer.operator for layer in wrong)
    if len(wrong) == len(layers):
        # Some have it if only their neighbours are quantized.
        if all("int" in layer.activations for layer in wrong):
            found = f"{count} have 8-bit activations and float weights"
            return Finding(expected, found, Mistakes.float_weights)
        return Finding(expected, f"none of {len(layers)} layers is quantized", Mistakes.unchanged)
    listed = ", ".join(f"{name} ({number})" for name, number in sorted(kinds.items()))
    beside = len(layers) - len(wrong) >= before
    cause = Mistakes.float_beside if beside else Mistakes.convolutions_only
    return Finding(expected, f"{count} are float: {listed}", cause)


def made_weights(number: int) -> Finding:
    return Finding(
        "no product but those of the argument, with weights stored in 8 bits",
        f"{number} with a computed weight, or in an operator such as Einsum or LSTM",
        Mistakes.computed_weights,
    )


def not_quantized(number: int, layers: int) -> Finding:
    cause = "Layers were joined, cut or replaced. Quantization keeps the graph's layers."
    return Finding(
        "the layers of the argument, with weights of the same sizes",
        f"{number} of {layers} are missing",
        cause,
        KINDS,
    )


def _computes_beside_its_layers(view: View, layers: int) -> Finding | None:
    """What is wrong where layers count for nothing, and something else computes what they should."""
    feeds = {name: values[:DISTURBED] for name, values in images.fresh(view.case)[0].items()}
    idle = disturbed.idle(view.case.files[MODEL], view.answer.files[MODEL], _sites, feeds)
    return idle_layers(layers) if idle else None


def idle_layers(layers: int) -> Finding:
    return Finding(
        f"outputs that the {layers} quantized layers compute",
        "layers are disturbed, and the outputs do not follow",
        Mistakes.idle_layers,
    )


def _sites(model: ir.Model) -> list[Site]:
    """Where a model's layers read their activations: an image further on is another image."""
    return [
        Site(node, product.activation, 0, layer.elements)
        for node, layer in counted(model)
        if layer is not None and (product := catalogue.product(node)) is not None
    ]


def means_the_same(view: View) -> Finding | None:
    """On fresh images each output's SQNR is at most `ALLOWANCE_DB` below the reference solution's,
    and the inputs' ranges are those of the calibration feeds.
    """
    names = [value.name for value in loading.parse(view.case.files[MODEL]).graph.output]
    inputs = images.fresh(view.case)
    expected = _expected(view.case)
    try:
        found = [
            np.concatenate(values)
            for values in zip(*quantized.evaluate(view.answer.files[MODEL], inputs), strict=True)
        ]
    except Exception as error:
        return does_not_run(view.case, loading.first_line(error))
    difference = numerics.compare(expected, found, names, np.inf)
    if difference:
        return differs(view.case, difference)
    model = loading.parse(view.answer.files[MODEL])
    for want, have, best in zip(expected, found, view.reference["sqnr"], strict=True):
        value, limit = quantized.sqnr(want, have), float(best) - ALLOWANCE_DB
        if value < limit:
            return noisy(view.case, model, value, limit)
    return other_range(view.case, model)


def does_not_run(case: Case, message: str) -> Finding:
    expected = "the model runs on batches of other sizes than those of the calibration"
    if "running DequantizeLinear" in message:
        found = "a DequantizeLinear whose scales do not fit its axis"
        return Finding(expected, found, Mistakes.other_axis)
    found = message if case.public else "it loads, and fails when it runs"
    cause = "A size was fixed, or types do not fit: a zero point has the type of its integers."
    return Finding(expected, found, cause, KINDS)


def differs(case: Case, difference: Difference) -> Finding:
    where = f" in output {name_of(difference.output)}" if case.public and difference.output else ""
    cause = "Outputs are dequantized to float32, and a scale is a finite number above zero."
    return Finding(
        f"{difference.kind}: {difference.expected}",
        f"{difference.found}{where}",
        cause,
        AFFINE,
    )


def noisy(case: Case, model: ModelProto, value: float, limit: float) -> Finding:
    """Too much noise: the input's range, then the scales of the weights, tell where it comes from."""
    expected = "the SQNR that the library reaches with min-max calibration, minus 8 dB"
    if case.public:
        expected = f"on fresh images an SQNR of {limit:.1f} dB or more"
    for name, scale, zero in _input_scales(model):
        if (cause := _wrong_range(seen := _range(case, name), _stored(scale, zero))) is not None:
            if np.allclose(
                _stored(scale, zero), _of_the_last(case, name), atol=NEAR * np.ptp(seen)
            ):
                cause = (Mistakes.last_feed,)
            stored = _told(name, scale, zero, seen) if case.public else ""
            return Finding(expected, f"{value:.1f} dB{stored}", *cause)
    whole = [layer for layer in census(model).layers if not layer.per_channel]
    whole_cause = Mistakes.distribution
    if whole and "rescaled" in case.name:
        whole_cause = Mistakes.per_tensor.told(count=len(whole))
    return Finding(expected, f"{value:.1f} dB", whole_cause)


def _range(case: Case, name: str) -> tuple[float, float]:
    """Of the values of an input, in all calibration images, and zero."""
    images = [feeds[name] for feeds in unpacked(case.files[CALIBRATION]) if name in feeds]
    return _ends(np.concatenate(images))


def _ends(values: np.ndarray) -> tuple[float, float]:
    return min(float(values.min()), 0.0), max(float(values.max()), 0.0)


def _of_the_last(case: Case, name: str) -> tuple[float, float]:
    """Of the values of an input, in the last feed alone, and zero."""
    *_, last = unpacked(case.files[CALIBRATION])
    return _ends(last[name])


def _wrong_range(seen: tuple[float, float], stored: tuple[float, float]) -> tuple | None:
    """The cause of a stored range where the images have another, and the section if the cause names
    none.
    """
    needed, span = seen[1] - seen[0], stored[1] - stored[0]
    if span > FAR_WIDER * needed:
        return (Mistakes.zeros,)
    if span > WIDE * needed:
        return (Mistakes.other_units,)
    if span < NARROW * needed:
        shrunk = all(
            abs(end) < abs(want) / 2 for end, want in zip(stored, seen, strict=True) if want
        )
        return (Mistakes.other_units,) if shrunk else (TRIMMED, CALIBRATE)
    cut = max(stored[0] - seen[0], seen[1] - stored[1])
    return (Mistakes.zero_point,) if cut > CUT * needed else None


def _stored(scale: float, zero: int) -> tuple[float, float]:
    return -zero * scale, (255 - zero) * scale


def _told(name: str, scale: float, zero: int, ends: tuple[float, float]) -> str:
    low, high = _stored(scale, zero)
    stored = f"input {name_of(name)} is stored from {low:.3g} to {high:.3g}"
    return f"; {stored}, and its images go from {ends[0]:.3g} to {ends[1]:.3g}"


def _input_scales(model: ModelProto) -> list[tuple[str, float, int]]:
    """(input, scale, steps below zero) of every QuantizeLinear that reads a graph input with a
    constant scale for the whole of it.
    """
    constants = {tensor.name: to_array(tensor) for tensor in model.graph.initializer}
    constants |= {
        node.output[0]: to_array(node.attribute[0].t)
        for node in model.graph.node
        if node.op_type == "Constant" and node.attribute[0].HasField("t")
    }
    # An initializer may stand among the inputs; no feed has it.
    names, found = {value.name for value in model.graph.input} - constants.keys(), []
    for node in model.graph.node:
        if (
            node.op_type == "QuantizeLinear"
            and node.input[0] in names
            and np.size(constants.get(node.input[1], ())) == 1
        ):
            zero = constants.get(node.input[2], np.uint8(0)) if len(node.input) > 2 else np.uint8(0)
            if np.asarray(zero).dtype in (np.int8, np.uint8) and np.size(zero) == 1:
                below = int(np.reshape(zero, ())) - int(np.iinfo(np.asarray(zero).dtype).min)
                found.append(
                    (node.input[0], float(np.reshape(constants[node.input[1]], ())), below)
                )
    return found


def other_range(case: Case, model: ModelProto) -> Finding | None:
    """A range of an input that goes beyond its images at both ends. They were not what calibration
    saw, although the noise may still be small enough.
    """
    for name, scale, zero in _input_scales(model):
        (low, high), stored = _range(case, name), _stored(scale, zero)
        most = OUTSIDE * (high - low)
        if zero not in CENTRES and stored[0] < low - most and stored[1] > high + most:
            found = "a range that goes far beyond the images at both ends"
            if case.public:
                found += _told(name, scale, zero, (low, high))
            expected = "ranges of the inputs as the calibration feeds have them"
            return Finding(expected, found, Mistakes.other_units)
    return None


def is_small(view: View) -> Finding | None:
    """The file has the size that 8 bits promise."""
    share = len(view.answer.files[MODEL]) / len(view.case.files[MODEL])
    if share > SHARE:
        return large(census(loading.parse(view.answer.files[MODEL])), share, SHARE)
    return None


def large(found: Census, share: float, most: float) -> Finding:
    expected = f"a file of at most {most:.0%} of the argument's size"
    kept = found.bytes["float32"] / max(found.bytes.total(), 1)
    if kept > 0.2:
        return Finding(
            expected,
            f"{share:.0%}, and {kept:.0%} of its constants are float32",
            Mistakes.keeps_floats,
        )
    cause = "Integers are stored in a wider type than 8 bits, or twice."
    return Finding(expected, f"{share:.0%}", cause, AFFINE)


def leaves_the_argument(view: View) -> Finding | None:
    """The model that was passed in is as it was before the call."""
    changed = known(report(view.answer))["argument_changed"]
    return ARGUMENT_CHANGED if changed else None


def digest(case: Case, answer: Answer) -> dict[str, np.ndarray]:
    """The SQNR in dB of each output of an answer, on fresh images."""
    inputs = images.fresh(case)
    found = [
        np.concatenate(values)
        for values in zip(*quantized.evaluate(answer.files[MODEL], inputs), strict=True)
    ]
    return {
        "sqnr": np.array(
            [quantized.sqnr(want, have) for want, have in zip(_expected(case), found, strict=True)]
        )
    }


def _expected(case: Case) -> Outputs:
    """Each output of the float model, on all fresh images together."""
    return _outputs(case.files[MODEL], case.seed, json.dumps(dict(case.parameters)))


@lru_cache(maxsize=32)  # more than there are cases: each answer is compared with them
def _outputs(data: bytes, seed: int, parameters: str) -> Outputs:
    inputs = images.fresh(Case("", {MODEL: data}, json.loads(parameters), seed=seed))
    runs = [outputs for [outputs] in numerics.run(data, inputs)]
    return [np.concatenate(values) for values in zip(*runs, strict=True)]


def _fed(model: ModelProto, kind: str) -> list[ValueInfoProto]:
    """The outputs, or the inputs without those that are initializers too."""
    initializers = {tensor.name for tensor in model.graph.initializer}
    return [
        value
        for value in getattr(model.graph, kind)
        if kind == "output" or value.name not in initializers
    ]


def _signature(value: ValueInfoProto) -> tuple:
    tensor = value.type.tensor_type
    return (
        value.name,
        tensor.elem_type,
        tuple(dim.dim_param or dim.dim_value for dim in tensor.shape.dim),
    )


def _is_static(layer: Layer) -> bool:
    return not layer.dynamic and all(
        kind in EIGHT_BITS for kind in (layer.activations, layer.weights, layer.stored)
    )
