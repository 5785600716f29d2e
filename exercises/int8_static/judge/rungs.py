"""The rungs of `int8_static`. Each looks at one case; `findings` has the words for what it
sees.

No native INT8 kernel runs here: `quantized.evaluate` gives every processor the same numbers.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache

import numpy as np
import onnx_ir as ir
from onnx import ModelProto, ValueInfoProto

from formatlab import graphs, loading, numerics, quantized
from formatlab.loading import Unloadable
from formatlab.numerics import Outputs
from formatlab.quantized_operators import catalogue
from formatlab_exercises.int8_static.ask import CALIBRATION, MODEL, REPORT, unpacked
from formatlab_exercises.int8_static.judge import findings, findings_of_noise, images
from formatlab_exercises.shared.judge import disturbed, quantized_loading
from formatlab_exercises.shared.judge.disturbed import Site
from formatlab_exercises.shared.judge.quantized_census import census, counted
from formatlab_exercises.shared.judge.quantized_layers import Layer
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

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
    finding = outcome.returns("an onnx.ModelProto", findings.KINDS, report)(view)
    if finding is not None and view.answer.outcome == "raised":
        return findings.raised(view.case, view.answer, finding)
    return finding


def loads(view: View) -> Finding | None:
    """Within the caps, accepted by the checker and by ONNX Runtime, and of operators that every
    processor computes alike.
    """
    try:
        quantized_loading.admit(view, NODES_PER_NODE, 2, functions=False)
    except Unloadable as problem:
        return findings.unloadable(view.case, problem)
    except quantized.Refused as problem:
        return findings.refused(problem)
    return None


def keeps_signature(view: View) -> Finding | None:
    """The graph's inputs and outputs are the argument's."""
    original, model = loading.parse(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    for kind in ("input", "output"):
        want, have = (
            [_signature(value) for value in values]
            for values in (getattr(original.graph, kind), _fed(model, kind))
        )
        if want != have:
            return findings.other_signature(view.case, kind, want, have)
    return None


def quantizes_every_layer(view: View) -> Finding | None:
    """Every layer has weights stored in 8 bits and activations of constant scale, none is missing,
    the outputs follow from them, and every calibration feed was taken.
    """
    model = loading.parse(view.answer.files[MODEL])
    if graphs.constant_outputs(model):
        return findings.CONSTANT_OUTPUT
    argument = loading.parse(view.case.files[MODEL])
    original, found = census(argument), census(model)
    before, layers = original.layers, found.layers
    wrong = [layer for layer in layers if layer.operator != "Gather" and not _is_static(layer)]
    if wrong:
        in_nodes = any(node.op_type == "Constant" for node in argument.graph.node)
        return findings.not_static(wrong, layers, len(before), in_nodes)
    if found.weightless > original.weightless:
        return findings.made_weights(found.weightless - original.weightless)
    missing = Counter(layer.elements for layer in before) - Counter(
        layer.elements for layer in layers
    )
    if missing:
        return findings.missing(missing.total(), len(before))
    taken, batches = (
        known(report(view.answer))["taken"],
        len(unpacked(view.case.files[CALIBRATION])),
    )
    if taken < batches:
        return findings.not_calibrated(taken, batches)
    return _computes_beside_its_layers(view, len(layers))


def _computes_beside_its_layers(view: View, layers: int) -> Finding | None:
    """What is wrong where layers count for nothing, and something else computes what they should."""
    feeds = {name: values[:DISTURBED] for name, values in images.fresh(view.case)[0].items()}
    idle = disturbed.idle(view.case.files[MODEL], view.answer.files[MODEL], _sites, feeds)
    return findings.idle_layers(layers) if idle else None


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
        return findings.does_not_run(view.case, loading.first_line(error))
    difference = numerics.compare(expected, found, names, np.inf)
    if difference:
        return findings.differs(view.case, difference)
    model = loading.parse(view.answer.files[MODEL])
    for want, have, best in zip(expected, found, view.reference["sqnr"], strict=True):
        value, limit = quantized.sqnr(want, have), float(best) - ALLOWANCE_DB
        if value < limit:
            return findings_of_noise.noisy(view.case, model, value, limit)
    return findings_of_noise.other_range(view.case, model)


def is_small(view: View) -> Finding | None:
    """The file has the size that 8 bits promise."""
    share = len(view.answer.files[MODEL]) / len(view.case.files[MODEL])
    if share > SHARE:
        return findings.large(census(loading.parse(view.answer.files[MODEL])), share, SHARE)
    return None


def leaves_the_argument(view: View) -> Finding | None:
    """The model that was passed in is as it was before the call."""
    changed = known(report(view.answer))["argument_changed"]
    return findings.ARGUMENT_CHANGED if changed else None


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
