"""What the checks of `int8_static` say: what was expected and found, why that usually happens, and
where to read.

A hidden case's finding repeats no name and no constant of the answer: they could carry the hidden
input out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from onnx import TensorProto

from formatlab.loading import Unloadable
from formatlab.numerics import Difference
from formatlab.quantized import Refused
from formatlab_exercises.int8_static.judge.cases import DESCRIPTIONS
from formatlab_exercises.int8_static.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.models import name_of, refusal
from formatlab_exercises.shared.judge.quantized_census import Census
from formatlab_exercises.shared.judge.quantized_layers import Layer
from nbjudge.contract import Answer, Case, Finding
from nbjudge.findings import Cause, Misconception, also

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


def raised(case: Case, answer: Answer, finding: Finding) -> Finding:
    text = answer.error.get("text", "")
    cause = next((cause for words, cause in RAISED.items() if words in text), finding.cause)
    return replace(
        finding, cause=also(cause, f"The case: {DESCRIPTIONS.get(case.name, '')}"), read=CALIBRATE
    )


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


ARGUMENT_CHANGED = Finding(
    "a new model, and the argument as it was before the call",
    "the model that was passed in is changed",
    Mistakes.in_place,
)


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


def not_calibrated(taken: int, batches: int) -> Finding:
    expected = "every feed of the calibration data is taken"
    if taken == 0:
        return Finding(expected, f"none of {batches} was taken", Mistakes.random)
    return Finding(
        expected,
        f"{taken} of {batches} {'was' if taken == 1 else 'were'} taken",
        Mistakes.first_feed,
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


def idle_layers(layers: int) -> Finding:
    return Finding(
        f"outputs that the {layers} quantized layers compute",
        "layers are disturbed, and the outputs do not follow",
        Mistakes.idle_layers,
    )


def missing(number: int, layers: int) -> Finding:
    cause = "Layers were joined, cut or replaced. Quantization keeps the graph's layers."
    return Finding(
        "the layers of the argument, with weights of the same sizes",
        f"{number} of {layers} are missing",
        cause,
        KINDS,
    )


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
