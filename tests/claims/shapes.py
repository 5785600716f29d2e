"""Shape inference: its formula, and how much it recovers."""

import math

import numpy as np
import onnx
import torch
from onnx import shape_inference

from .ledger import Source, Verdict, holds, topic
from .running import attempt, model_of, node, run, value, weight
from .subjects import bert_torchscript, cnn_default, resnet_opset_17

claim = topic("Shapes")
NOTEBOOK = "04-validation-ladder"
DAY_50 = Source.DAY_50


def dims(information: onnx.ValueInfoProto) -> list:
    """A number, a name, or None for each dimension."""
    return [
        getattr(dim, dim.WhichOneof("value")) if dim.WhichOneof("value") else None
        for dim in information.type.tensor_type.shape.dim
    ]


def inferred(model: onnx.ModelProto) -> dict[str, list]:
    graph = shape_inference.infer_shapes(model).graph
    return {
        each.name: dims(each)
        for each in [*graph.value_info, *graph.output]
        if each.type.tensor_type.HasField("shape")
    }


@claim(
    "conv-formula",
    DAY_50,
    "For convolution: H_out = ⌊(H_in + 2p - d(k-1) - 1)/s + 1⌋.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#conv-formula",
)
def conv_formula() -> str:
    rng = np.random.default_rng(0)
    agreed = 0
    for _ in range(100):
        size, padding, dilation, kernel, stride = (
            int(rng.integers(low, high)) for low, high in ((1, 40), (0, 5), (1, 4), (1, 6), (1, 5))
        )
        if size + 2 * padding < dilation * (kernel - 1) + 1:
            continue
        formula = math.floor((size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1)
        options = {"padding": padding, "dilation": dilation, "stride": stride}
        holds(
            torch.conv1d(torch.zeros(1, 1, size), torch.zeros(1, 1, kernel), **options).shape[-1]
            == formula,
            (size, kernel, options),
        )
        agreed += 1
    floor, ceiling = (
        torch.nn.functional.max_pool1d(torch.zeros(1, 1, 6), 3, 2, ceil_mode=mode).shape[-1]
        for mode in (False, True)
    )
    holds((floor, ceiling) == (2, 3), (floor, ceiling))
    return (
        f"It gives PyTorch's size for {agreed} of {agreed} random convolutions. Pooling with `ceil_mode` rounds up instead: {ceiling} "
        f"where the formula says {floor}."
    )


@claim(
    "shape-formula",
    DAY_50,
    "output_shape[i] = f(input_shapes, attributes).",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#values-decide-shapes",
)
def shape_formula() -> str:
    def reshaped(target: list[int]) -> list:
        model = model_of(
            [node("Reshape", "x shape")],
            [value("x", [2, 6])],
            [value("y", ["a", "b"])],
            [weight("shape", np.array(target, np.int64))],
        )
        del model.graph.output[0].type.tensor_type.shape.dim[:]
        model.graph.output[0].type.tensor_type.ClearField("shape")
        return inferred(model)["y"]

    found = reshaped([3, 4]), reshaped([4, 3])
    holds(found == ([3, 4], [4, 3]), found)
    return (
        "Also of input values: two Reshapes with the same input shapes and attributes give (3, 4) and (4, 3). NonZero's output depends "
        "on the data."
    )


@claim(
    "shape-through-every-node",
    DAY_50,
    "Shape inference propagates known input dimensions through every node.",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#four-kinds-of-shape",
)
def every_node() -> str:
    nodes = [
        node("Relu", "x", "a"),
        node("Mystery", "a", "b", "com.example"),
        node("Relu", "b", "c"),
        node("Relu", "c"),
    ]
    found = inferred(
        model_of(nodes, [value("x", [2, 3])], [value("y", [2, 3])], domains={"com.example": 1})
    )
    holds("a" in found and not {"b", "c"} & set(found), found)
    return "It stops at an operator it does not know: after a custom operator nothing has a shape, though every other operator is standard."


@claim(
    "shape-print-snippet",
    DAY_50,
    "Verify all intermediate shapes are populated: print d.dim_value of every value_info.",
    Verdict.WRONG,
    f"{NOTEBOOK}#four-kinds-of-shape",
)
def print_snippet() -> str:
    scalar, unknown, named = (
        value("scalar", []),
        value("unknown", None),
        value("named", ["batch", 64]),
    )
    printed = {
        each.name: [d.dim_value for d in each.type.tensor_type.shape.dim]
        for each in (scalar, unknown, named)
    }
    holds(printed == {"scalar": [], "unknown": [], "named": [0, 64]}, printed)
    return (
        f"It prints {printed['named']} for (batch, 64), and {printed['unknown']} both for a scalar and for a tensor whose rank is "
        "unknown: it cannot tell populated from not."
    )


@claim(
    "all-shapes-recovered",
    DAY_50,
    "shape_inference.infer_shapes() and verify all shapes are recovered.",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#four-kinds-of-shape",
)
def all_recovered() -> str:
    model = bert_torchscript().model
    found = inferred(model)
    unknown = [
        name for name, shape in found.items() if any(str(dim).startswith("unk__") for dim in shape)
    ]
    outputs = [name for each in model.graph.node for name in each.output]
    holds(
        len(found) == len(outputs) and len(outputs) / 5 < len(unknown),
        f"{len(unknown)} of {len(found)} of {len(outputs)}",
    )
    return (
        f"Every one of the {len(outputs)} values of BERT gets a rank, but {len(unknown)} have a dimension that inference made up a "
        "name for (`unk__…`): it knows nothing of it."
    )


@claim(
    "check-and-infer",
    DAY_50,
    "Validate with onnx.checker.check_model() and shape_inference after every transformation.",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#strict-shapes",
)
def after_every_transformation() -> str:
    weights = [weight("w", np.ones((4, 5), np.float32)), weight("b", np.ones(5, np.float32))]
    rank_3 = model_of(
        [node("Gemm", "x w b")], [value("x", [2, 3, 4])], [value("y", [2, 3, 5])], weights
    )
    plain, quiet = (
        attempt(onnx.checker.check_model, rank_3),
        attempt(shape_inference.infer_shapes, rank_3),
    )
    holds(plain == quiet == "accepted", f"{plain}; {quiet}")
    strict = attempt(shape_inference.infer_shapes, rank_3, strict_mode=True)
    runs = attempt(run, rank_3, {"x": np.ones((2, 3, 4), np.float32)})
    holds(strict != "accepted" and runs != "accepted", f"strict: {strict}; run: {runs}")
    return (
        "Worth doing, and not enough. A Gemm put in place of a rank-3 MatMul + Add passes both; `strict_mode=True`, `full_check=True` "
        "and ONNX Runtime refuse it. Only a comparison of outputs finds a wrong number."
    )


@claim(
    "resnet-shapes",
    DAY_50,
    'model = shape_inference.infer_shapes(onnx.load("resnet50.onnx")) populates the intermediate shapes.',
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#four-kinds-of-shape",
)
def resnet_shapes() -> str:
    model = onnx.ModelProto()
    model.CopyFrom(resnet_opset_17().model)
    outputs = [name for each in model.graph.node for name in each.output]

    def known() -> int:
        found = inferred(model)
        holds(set(outputs) <= set(found), "a value has no shape")
        return sum(
            not any(dim is None or str(dim).startswith("unk__") for dim in found[name])
            for name in outputs
        )

    as_exported = known()
    del model.graph.value_info[:]
    recovered = known()
    holds(
        as_exported == len(outputs) and recovered >= as_exported - 1,
        f"{as_exported} and {recovered} of {len(outputs)}",
    )
    return (
        f"All {len(outputs)} values of the exported ResNet-50 have static or named dimensions; the exporter wrote them. With value_info "
        f"deleted, inference recovers {recovered}: after the Reshape before the last layer the batch has no name any more."
    )


@claim(
    "explicit-shapes",
    Source.COMPILATION,
    "The framework translates graph nodes into ONNX operators with explicit shapes, types, and attributes.",
    Verdict.MISLEADING,
    "02-inside-an-onnx-file#shapes",
)
def explicit_shapes() -> str:
    fields = {field.name for field in onnx.NodeProto.DESCRIPTOR.fields}
    holds("attribute" in fields and not fields & {"shape", "type", "elem_type"}, fields)
    model = bert_torchscript().model
    holds(not model.graph.value_info, len(model.graph.value_info))
    return (
        f"A node has attributes, but neither shapes nor types; the TorchScript-based export of BERT ({len(model.graph.node)} nodes) "
        "states them for inputs and outputs only."
    )


@claim(
    "operators-like-conv",
    Source.COMPILATION,
    "…into ONNX operators like Conv, MatMul, or Softmax.",
    Verdict.CONFIRMED,
    "02-inside-an-onnx-file#operators",
)
def operators_like_conv() -> str:
    operators = {
        each.op_type
        for each in [*cnn_default().model.graph.node, *bert_torchscript().model.graph.node]
    }
    holds({"Conv", "MatMul", "Softmax"} <= operators, operators)
    return "The exported CNN and BERT hold all three."


@claim(
    "explicit-input-shapes",
    Source.COMPILATION,
    "A typical flow exports with explicit input shapes and named inputs.",
    Verdict.CONFIRMED,
    "line-1-export#open-axes",
)
@claim(
    "input-names",
    Source.FORMAT,
    "input_names, output_names: define graph input and output names.",
    Verdict.CONFIRMED,
    "line-1-export#open-axes",
)
def input_names() -> str:
    graph = cnn_default().model.graph
    named = {each.name: dims(each) for each in (*graph.input, *graph.output)}
    holds(named == {"image": ["batch_size", 3, 16, 16], "logits": ["batch_size", 10]}, named)
    return (
        f"The CNN's file says image {named['image']} and logits {named['logits']}. They are names of values: the text's “node names” "
        "are something else."
    )
