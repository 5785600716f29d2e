"""Exhibits that load and run: what only runs on known inputs find."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

from formatlab.models.museum import healthy, initializers
from formatlab.models.museum.exhibit import (
    Edit,
    Specimen,
    copy,
    exhibit,
    fault,
    fresh,
    insert,
    nodes_of,
    specimen,
    wrong_numbers,
)
from formatlab.models.museum.net import ACTIVATIONS
from formatlab.models.museum.runs import make_runs

STATIC = "static-batch"
RANDOM = "random-output"
WRONG = "wrong-numbers"
LABELS = "wrong-labels"


@exhibit(
    "baked-input",
    STATIC,
    "parity",
    "The exporter saw one batch and wrote its size down as the only one. dynamic_axes had a misspelled key, which only gives a warning.",
    "Give the dimension a name.",
)
def baked_input(rng: np.random.Generator) -> Specimen:
    subject = healthy.PLAIN[rng.integers(len(healthy.PLAIN))](rng)
    runs = make_runs(subject, rng)
    broken = copy(subject.model)
    del broken.graph.value_info[:]
    for declared in (broken.graph.input[0], broken.graph.output[0]):
        declared.type.tensor_type.shape.dim[0].dim_value = len(runs[0].labels)

    def repair(mended: ModelProto) -> None:
        for declared in (mended.graph.input[0], mended.graph.output[0]):
            declared.type.tensor_type.shape.dim[0].dim_param = "batch"

    return specimen(broken, runs, repair)


@exhibit(
    "baked-reshape",
    STATIC,
    "parity",
    "The input is declared dynamic, and a Reshape in the middle holds the batch size of the export as a number.",
    "Write -1 for the batch into the Reshape's target.",
)
def baked_reshape(rng: np.random.Generator) -> Specimen:
    subject = healthy.tabular(rng)
    runs = make_runs(subject, rng)
    broken = copy(subject.model)
    del broken.graph.value_info[:]
    at = int(rng.choice(nodes_of(broken.graph, *ACTIVATIONS)))
    name = broken.graph.node[at].output[0]
    width = _width(broken, at)
    before, target = fresh(broken, rng, name, 2)
    broken.graph.node[at].output[0] = before
    insert(broken.graph, at + 1, [helper.make_node("Reshape", [before, target], [name])])
    broken.graph.initializer.append(
        numpy_helper.from_array(np.array([len(runs[0].labels), width]), target)
    )
    return specimen(
        broken, runs, lambda mended: initializers.replace(mended, target, np.array([-1, width]))
    )


@fault(
    "training-dropout",
    RANDOM,
    "parity",
    story="The model was exported in training mode. At its default level ONNX Runtime removes the Dropout and hides it.",
    fix="Export in evaluation mode: set training_mode to false.",
    families=(healthy.with_idle_dropout,),
)
def training_dropout(model: ModelProto, _rng: np.random.Generator) -> Edit:
    name = model.graph.node[nodes_of(model.graph, "Dropout")[0]].input[2]
    initializers.replace(model, name, np.array(True))
    return lambda mended: initializers.replace(mended, name, np.array(False))


@fault(
    "noise",
    RANDOM,
    "parity",
    story="Noise that made training more robust was exported with the model: RandomNormalLike draws anew at every run.",
    fix="Remove the noise.",
    families=(healthy.tabular, healthy.image),
)
def noise(model: ModelProto, rng: np.random.Generator) -> Edit:
    at = int(rng.choice(nodes_of(model.graph, *ACTIVATIONS)))
    name = model.graph.node[at].output[0]
    clean, drawn = fresh(model, rng, name, 2)
    model.graph.node[at].output[0] = clean
    draw = helper.make_node("RandomNormalLike", [clean], [drawn], scale=1.0)
    insert(model.graph, at + 1, [draw, helper.make_node("Add", [clean, drawn], [name])])

    def repair(mended: ModelProto) -> None:
        del mended.graph.node[at + 1 : at + 3]
        mended.graph.node[at].output[0] = name

    return repair


@wrong_numbers(
    "transposed-weight",
    WRONG,
    "parity",
    story="A square weight was stored transposed. PyTorch's Linear stores its weight that way, and the shape does not show it.",
    fix="Transpose the weight.",
)
def transposed_weight(model: ModelProto, rng: np.random.Generator) -> Edit:
    square = [
        tensor.name
        for tensor in model.graph.initializer
        if len(tensor.dims) == 2 and tensor.dims[0] == tensor.dims[1]
    ]
    name = str(rng.choice(square))
    initializers.replace(model, name, initializers.read(model, name).T.copy())
    return lambda mended: initializers.replace(
        mended, name, initializers.read(mended, name).T.copy()
    )


@wrong_numbers(
    "swapped-weights",
    WRONG,
    "parity",
    story="Two initializers of one shape changed places: a script matched weights by their shapes and not by their names.",
    fix="Swap them back.",
)
def swapped_weights(model: ModelProto, rng: np.random.Generator) -> Edit:
    shapes: dict[tuple[Any, ...], list[str]] = {}
    for tensor in model.graph.initializer:
        shapes.setdefault((tensor.data_type, *tensor.dims), []).append(tensor.name)
    groups = [names for names in shapes.values() if len(names) > 1]
    first, second = (
        str(name) for name in rng.choice(groups[rng.integers(len(groups))], 2, replace=False)
    )

    def swap(any_model: ModelProto) -> None:
        one = initializers.read(any_model, first)
        other = initializers.read(any_model, second)
        initializers.replace(any_model, first, other)
        initializers.replace(any_model, second, one)

    swap(model)
    return swap


@wrong_numbers(
    "scale-of-another-tensor",
    WRONG,
    "parity",
    story="The integers are read back with the scale of another tensor: everything behind them is too large or too small.",
    fix="Read them back with the scale that they were written with.",
    families=(healthy.quantized,),
)
def scale_of_another_tensor(model: ModelProto, rng: np.random.Generator) -> Edit:
    at = nodes_of(model.graph, "DequantizeLinear")[0]
    right = model.graph.node[at].input[1]
    [other] = fresh(model, rng, right)
    model.graph.node[at].input[1] = other
    wrong = initializers.read(model, right) * np.float32(rng.choice([0.25, 4, 8]))
    model.graph.initializer.append(numpy_helper.from_array(np.array(wrong, np.float32), other))

    def repair(mended: ModelProto) -> None:
        mended.graph.node[at].input[1] = right
        del mended.graph.initializer[-1]

    return repair


@fault(
    "float16-overflow",
    WRONG,
    "parity",
    story="A float16 value grows beyond 65504 on its way and becomes infinite. On most CPUs ONNX Runtime computes in float32 and hides it.",
    fix="Take the factors out.",
    families=(healthy.half,),
)
def float16_overflow(model: ModelProto, rng: np.random.Generator) -> Edit:
    del model.graph.value_info[:]
    at = next(
        at
        for at in nodes_of(model.graph, "Cast")
        if model.graph.node[at].attribute[0].i == TensorProto.FLOAT
    )
    start = model.graph.node[at].input[0]
    step = float(2 ** rng.integers(10, 13))
    up, down, *names = fresh(model, rng, start, 6)
    steps = zip([start, *names], [up, up, down, down], names, strict=False)
    insert(
        model.graph,
        at,
        [helper.make_node("Mul", [value, factor], [result]) for value, factor, result in steps],
    )
    model.graph.node[at + 4].input[0] = names[-1]
    factors = ((up, step), (down, 1 / step))
    model.graph.initializer.extend(
        numpy_helper.from_array(np.array(value, np.float16), name) for name, value in factors
    )

    def repair(mended: ModelProto) -> None:
        mended.graph.node[at + 4].input[0] = start
        del mended.graph.node[at : at + 4]
        del mended.graph.initializer[-2:]

    return repair


@wrong_numbers(
    "permuted-labels",
    LABELS,
    "metric",
    story="The classes were put into another order before the export. The model agrees with the original, and both name wrong classes.",
    fix="Put the last layer's columns into the order of the labels.",
)
def permuted_labels(model: ModelProto, rng: np.random.Generator) -> Edit:
    weight = model.graph.node[nodes_of(model.graph, "MatMul")[-1]].input[1]
    bias = model.graph.node[-1].input[1]
    order = np.roll(
        np.arange(initializers.read(model, bias).size),
        int(rng.integers(1, initializers.read(model, bias).size)),
    )

    def permute(any_model: ModelProto, columns: np.ndarray) -> None:
        for name in (weight, bias):
            initializers.replace(any_model, name, initializers.read(any_model, name)[..., columns])

    permute(model, order)
    return lambda mended: permute(mended, np.argsort(order))


def _width(model: ModelProto, at: int) -> int:
    """The number of columns that the activation at `at` passes on: that of the layer before it."""
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    before = next(node for node in model.graph.node if model.graph.node[at].input[0] in node.output)
    return max(
        stored[name].dims[-1]
        for name in before.input
        if name in stored and len(stored[name].dims) == 1
    )
