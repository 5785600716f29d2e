"""Exhibits whose types and shapes contradict each other: what only shape inference finds."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper, shape_inference

from formatlab.models.museum import healthy, initializers
from formatlab.models.museum.exhibit import Edit, fault, fresh, insert, nodes_of

FALSE = "false-declaration"
MISMATCH = "operand-mismatch"
RANK_TWO = (healthy.tabular, healthy.image)


@fault(
    "declared-type",
    FALSE,
    "full_check",
    story="The output is declared with another type than its node gives: the declaration was copied from another model.",
    fix="Declare the type that the node gives.",
)
def declared_type(model: ModelProto, rng: np.random.Generator) -> Edit:
    kind = model.graph.output[0].type.tensor_type
    kind.elem_type = int(
        rng.choice([TensorProto.INT64, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.INT32])
    )

    def repair(mended: ModelProto) -> None:
        mended.graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT

    return repair


@fault(
    "declared-shape",
    FALSE,
    "full_check",
    story="The output is declared with as many columns as the model had before its last layer was exchanged.",
    fix="Declare the number of columns that the last layer gives.",
)
def declared_shape(model: ModelProto, rng: np.random.Generator) -> Edit:
    dim = model.graph.output[0].type.tensor_type.shape.dim[-1]
    right = dim.dim_value
    dim.dim_value = dim.dim_value + int(rng.integers(1, 5))

    def repair(mended: ModelProto) -> None:
        mended.graph.output[0].type.tensor_type.shape.dim[-1].dim_value = right

    return repair


@fault(
    "declared-rank",
    FALSE,
    "full_check",
    story="The output is declared with one dimension more than its node gives: a Squeeze was left out, and its declaration stayed.",
    fix="Declare the rank that the node gives.",
)
def declared_rank(model: ModelProto, _rng: np.random.Generator) -> Edit:
    model.graph.output[0].type.tensor_type.shape.dim.add(dim_value=1)

    def repair(mended: ModelProto) -> None:
        del mended.graph.output[0].type.tensor_type.shape.dim[-1]

    return repair


@fault(
    "stale-value-info",
    FALSE,
    "full_check",
    story="The file carries the shapes of inner values from before an edit. The edit did not renew value_info, and tools believe it.",
    fix="Remove value_info, and infer it anew.",
)
def stale_value_info(model: ModelProto, rng: np.random.Generator) -> Edit:
    model.CopyFrom(shape_inference.infer_shapes(model, strict_mode=True))
    info = model.graph.value_info[rng.integers(len(model.graph.value_info))]
    dim = info.type.tensor_type.shape.dim[-1]
    dim.dim_value = dim.dim_value + int(rng.integers(1, 4))

    def repair(mended: ModelProto) -> None:
        del mended.graph.value_info[:]

    return repair


@fault(
    "computed-declaration",
    FALSE,
    "strict_shapes",
    story="The output's declaration is false. The true shape follows from numbers that the graph computes, so a tool has to follow them.",
    fix="Declare the shape that the graph computes.",
    families=RANK_TWO,
)
def computed_declaration(model: ModelProto, rng: np.random.Generator) -> Edit:
    output = model.graph.output[0].name
    columns = model.graph.output[0].type.tensor_type.shape.dim[-1].dim_value
    logits, size, batch, target, zero, width = fresh(model, rng, output, 6)
    model.graph.node[-1].output[0] = logits
    for name, value in ((zero, 0), (width, columns)):
        model.graph.initializer.append(numpy_helper.from_array(np.array([value]), name))
    model.graph.node.extend(
        [
            helper.make_node("Shape", [logits], [size]),
            helper.make_node("Gather", [size, zero], [batch]),
            helper.make_node("Concat", [batch, width], [target], axis=0),
            helper.make_node("Reshape", [logits, target], [output]),
        ]
    )
    _declare_columns(model, columns + int(rng.integers(1, 4)))
    return lambda mended: _declare_columns(mended, columns)


def _declare_columns(model: ModelProto, columns: int) -> None:
    model.graph.output[0].type.tensor_type.shape.dim[-1].dim_value = columns


@fault(
    "inner-dimensions",
    MISMATCH,
    "full_check",
    story="A weight has a row too many for the value that it multiplies. The checker does not multiply.",
    fix="Use a weight with as many rows as the value has columns.",
)
def inner_dimensions(model: ModelProto, rng: np.random.Generator) -> Edit:
    _forget_shapes(model)
    node = model.graph.node[rng.choice(nodes_of(model.graph, "MatMul"))]
    right = initializers.read(model, node.input[1])
    extra = rng.normal(size=(int(rng.integers(1, 3)), right.shape[1])).astype(np.float32)
    initializers.replace(model, node.input[1], np.concatenate([right, extra]))
    name = node.input[1]
    return lambda mended: initializers.replace(mended, name, right)


@fault(
    "bias-of-another-layer",
    MISMATCH,
    "full_check",
    story="A bias has one number too many for the value that it is added to, so the shapes cannot be broadcast.",
    fix="Use a bias with as many numbers as the value has columns.",
)
def bias_of_another_layer(model: ModelProto, rng: np.random.Generator) -> Edit:
    _forget_shapes(model)
    stored = {tensor.name for tensor in model.graph.initializer}
    places = [at for at in nodes_of(model.graph, "Add") if model.graph.node[at].input[1] in stored]
    name = model.graph.node[rng.choice(places)].input[1]
    right = initializers.read(model, name)
    initializers.replace(model, name, np.append(right, np.float32(rng.normal())))
    return lambda mended: initializers.replace(mended, name, right)


@fault(
    "gemm-of-rank-three",
    MISMATCH,
    "full_check",
    story="An optimizer made one Gemm of a MatMul and an Add, though the value has three dimensions. Gemm takes two.",
    fix="Make MatMul and Add of it again.",
    families=(healthy.tokens,),
)
def gemm_of_rank_three(model: ModelProto, rng: np.random.Generator) -> Edit:
    _forget_shapes(model)
    at = int(rng.choice(nodes_of(model.graph, "MatMul")))
    product, total = (_copied(model.graph.node[place]) for place in (at, at + 1))
    gemm = helper.make_node("Gemm", [*product.input, total.input[1]], total.output)
    del model.graph.node[at : at + 2]
    insert(model.graph, at, [gemm])

    def repair(mended: ModelProto) -> None:
        del mended.graph.node[at]
        insert(mended.graph, at, [product, total])

    return repair


@fault(
    "zero-point-type",
    MISMATCH,
    "full_check",
    story="A zero point has another type than the integers that it belongs to: signed weights met unsigned activations in one script.",
    fix="Give the zero point the type of the integers.",
    families=(healthy.quantized,),
)
def zero_point_type(model: ModelProto, rng: np.random.Generator) -> Edit:
    _forget_shapes(model)
    node = model.graph.node[nodes_of(model.graph, "DequantizeLinear")[0]]
    right = node.input[2]
    zero = initializers.read(model, right)
    other = np.array(0, np.int8 if zero.dtype == np.uint8 else np.uint8)
    [node.input[2]] = fresh(model, rng, right)
    model.graph.initializer.append(numpy_helper.from_array(other, node.input[2]))

    def repair(mended: ModelProto) -> None:
        mended.graph.node[nodes_of(mended.graph, "DequantizeLinear")[0]].input[2] = right
        del mended.graph.initializer[-1]

    return repair


@fault(
    "computed-shape-clash",
    MISMATCH,
    "strict_shapes",
    story="A Reshape takes its target from a computation, and the target does not fit the weight behind it. Only the values show it.",
    fix="Compute the target that the weight needs.",
    families=(healthy.computed_reshape,),
)
def computed_shape_clash(model: ModelProto, rng: np.random.Generator) -> Edit:
    _forget_shapes(model)
    reshape = model.graph.node[nodes_of(model.graph, "Reshape")[0]]
    name = _writer(model, reshape.input[1]).input[1]
    right = initializers.read(model, name)
    initializers.replace(model, name, right + int(rng.integers(1, 4)))
    return lambda mended: initializers.replace(mended, name, right)


def _forget_shapes(model: ModelProto) -> None:
    del model.graph.value_info[:]


def _copied(node: NodeProto) -> NodeProto:
    return helper.make_node(node.op_type, node.input, node.output)


def _writer(model: ModelProto, name: str) -> NodeProto:
    return next(node for node in model.graph.node if name in node.output)
