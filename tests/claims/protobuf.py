"""The fields of an ONNX file, and what they hold."""

import numpy as np
import onnx
from google.protobuf.descriptor import FieldDescriptor
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    checker,
    helper,
)

from .ledger import Source, Verdict, holds, topic
from .running import attempt, model_of, newest_ir_version, node, value
from .subjects import (
    MLP_INPUT,
    bert_torchscript,
    bert_training,
    export,
    mlp,
    mlp_default,
    mlp_torchscript,
)

claim = topic("Inside an ONNX file")
NOTEBOOK = "02-inside-an-onnx-file"
DAY_50, FORMAT, INTEROPERABILITY = Source.DAY_50, Source.FORMAT, Source.INTEROPERABILITY


def fields(message: type) -> dict[str, FieldDescriptor]:
    return {field.name: field for field in message.DESCRIPTOR.fields}


@claim(
    "protobuf",
    DAY_50,
    "ONNX is defined as a Protocol Buffer schema.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#bytes",
)
@claim(
    "protobuf",
    FORMAT,
    "The file format is serialized using Protocol Buffers, for language-independent reading and writing.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#bytes",
)
@claim(
    "protobuf",
    INTEROPERABILITY,
    "The map is stored in a Protobuf file format, which is language-agnostic.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#bytes",
)
def protobuf() -> str:
    data = model_of([node("Relu", "x")], [value("x", [2])], [value("y", [2])]).SerializeToString()
    number = fields(ModelProto)["ir_version"].number
    holds(data[0] == number << 3 and data[1] == 10, data[:2])
    limit = checker.MAXIMUM_PROTOBUF
    holds(limit == 2**31 - 1, limit)
    return (
        f"A model's first bytes are field {number}, `ir_version`, in Protobuf's encoding: {data[0]:#04x} {data[1]:#04x}. "
        f"Protobuf's limit comes with it: a file stays below {(limit + 1) // 2**30} GiB."
    )


@claim(
    "efficient",
    INTEROPERABILITY,
    "The Protobuf file format is highly efficient.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#bytes",
)
def efficient() -> str:
    model = mlp_torchscript().model
    weights = sum(4 * int(np.prod(tensor.dims)) for tensor in model.graph.initializer)
    share = (model.ByteSize() - weights) / weights
    holds(0 < share < 0.01, share)
    return "For size: the exported MLP's file is less than 1 % larger than its weights alone."


@claim(
    "model-tree",
    DAY_50,
    "ModelProto holds ir_version, opset_import[], producer_name, graph, metadata_props[].",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#bytes",
)
def model_tree() -> str:
    found = fields(ModelProto)
    named = ("ir_version", "opset_import", "producer_name", "graph", "metadata_props")
    holds(set(named) <= set(found), sorted(found))
    repeated = {name for name in named if found[name].is_repeated}
    holds(repeated == {"opset_import", "metadata_props"}, repeated)
    return "All five are fields of `ModelProto`; the two with [] are repeated."


@claim(
    "graph-tree",
    DAY_50,
    "GraphProto holds name, input[], output[], node[], initializer[], value_info[].",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#bytes",
)
def graph_tree() -> str:
    found = fields(GraphProto)
    kinds = {
        "input": "ValueInfoProto",
        "output": "ValueInfoProto",
        "node": "NodeProto",
        "initializer": "TensorProto",
        "value_info": "ValueInfoProto",
    }
    seen = {name: found[name].message_type.name for name in kinds}
    holds(seen == kinds and all(found[name].is_repeated for name in kinds), seen)
    return "All are fields of `GraphProto`, of the types that the tree names."


@claim(
    "node-tree",
    DAY_50,
    "NodeProto holds op_type, input[] and output[] as tensor names, attribute[].",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#operators",
)
def node_tree() -> str:
    found = fields(NodeProto)
    strings = [
        name
        for name in ("op_type", "input", "output")
        if found[name].type == FieldDescriptor.TYPE_STRING
    ]
    holds(len(strings) == 3 and found["attribute"].message_type.name == "AttributeProto", strings)
    optional = model_of([node("Relu", "x")], [value("x", [2])], [value("y", [2])])
    optional.graph.node[0].name = ""
    holds(
        attempt(checker.check_model, optional, full_check=True) == "accepted",
        "a node without a name is refused",
    )
    return (
        "Edges are names: a node's inputs and outputs are strings. The node itself needs no name."
    )


@claim(
    "value-tree",
    DAY_50,
    "ValueInfoProto: name and type; tensor_type has elem_type (an int, 1=float32) and shape.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#types",
)
def value_tree() -> str:
    tensor = value("x", [2, "n"]).type.tensor_type
    holds(TensorProto.FLOAT == 1 == tensor.elem_type, tensor.elem_type)
    holds(
        set(fields(ValueInfoProto)) >= {"name", "type"}
        and type(tensor.shape).__name__ == "TensorShapeProto",
        tensor,
    )
    holds(
        [dim.WhichOneof("value") for dim in tensor.shape.dim] == ["dim_value", "dim_param"],
        tensor.shape,
    )
    return f"`TensorProto.FLOAT` is {TensorProto.FLOAT}. Each dimension of the shape is a number, a name, or nothing."


@claim(
    "tree-incomplete",
    DAY_50,
    "The tree shows the structure of a model.",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#bytes",
)
def tree_incomplete() -> str:
    shown = {"ir_version", "opset_import", "producer_name", "graph", "metadata_props"}
    shown |= {
        "name",
        "input",
        "output",
        "node",
        "initializer",
        "value_info",
        "op_type",
        "attribute",
    }
    missing = [
        name
        for message in (ModelProto, GraphProto, NodeProto)
        for name in fields(message)
        if name not in shown
    ]
    holds({"functions", "training_info", "sparse_initializer", "domain"} <= set(missing), missing)
    holds("g" in fields(AttributeProto), "attributes hold no graphs")
    return f"It leaves out {', '.join(f'`{name}`' for name in dict.fromkeys(missing))}, and that an attribute can hold a graph."


@claim(
    "ir-version-pair",
    DAY_50,
    "ir_version e.g. 9 beside opset e.g. 18.",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#versions",
)
def ir_version_pair() -> str:
    own = next(row[1] for row in helper.VERSION_TABLE if row[2] == 18)
    found = (
        mlp_default().model.ir_version,
        mlp_torchscript().model.ir_version,
        helper.make_model(model_of([], [], []).graph).ir_version,
    )
    holds(own == 8 and found == (10, 9, onnx.IR_VERSION), f"table {own}, files {found}")
    return (
        f"A valid pair, but opset 18 came with IR version {own}. By default the exporter writes {found[0]}, the TorchScript-based one "
        f"{found[1]}, "
        f"and `onnx.helper.make_model` {newest_ir_version()}."
    )


@claim(
    "producer",
    DAY_50,
    'producer_name: str (e.g., "pytorch").',
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#metadata",
)
def producer() -> str:
    names = {mlp_default().model.producer_name, mlp_torchscript().model.producer_name}
    holds(names == {"pytorch"}, names)
    return 'Both exporters write "pytorch".'


@claim(
    "initializers-weights",
    DAY_50,
    "initializer[]: TensorProto ← weights!",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#initializers",
)
def initializers_are_weights() -> str:
    tensors = bert_training().graph.initializer
    others = [tensor for tensor in tensors if tensor.data_type != TensorProto.FLOAT]
    holds(others and len(others) < len(tensors), f"{len(others)} of {len(tensors)}")
    return (
        f"Of the {len(tensors)} initializers of the course's BERT, {len(others)} are no weights but integers and booleans: shapes, "
        "axes, flags. "
        "A weight can also be a Constant node, or lie in another file."
    )


@claim(
    "value-info-shapes",
    DAY_50,
    "value_info[]: ValueInfoProto ← intermediate shapes.",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#shapes",
)
def value_info() -> str:
    model = bert_torchscript().model
    named, nodes = len(model.graph.value_info), len(model.graph.node)
    holds(named < 5 < nodes, f"{named} of {nodes}")
    holds(
        attempt(checker.check_model, model, full_check=True) == "accepted",
        "the checker asks for value_info",
    )
    return f"It is optional. The TorchScript-based export of BERT has {nodes} nodes, {named} entries of `value_info`, and is valid."


@claim(
    "one-file",
    DAY_50,
    "ONNX: graph + weights in one file.",
    Verdict.OUTDATED,
    f"{NOTEBOOK}#external-data",
)
def one_file() -> str:
    path = mlp_default().path
    beside = sorted(file.name for file in path.parent.iterdir())
    holds(beside == ["model.onnx", "model.onnx.data"], beside)
    return f"By default `torch.onnx.export` writes two, for a two-layer MLP too: {' and '.join(beside)}. `external_data=False` writes one."


@claim(
    "export-params",
    FORMAT,
    "export_params=True: store trained parameter weights inside the file.",
    Verdict.OUTDATED,
    f"{NOTEBOOK}#external-data",
)
def export_params() -> str:
    path = export(mlp(), MLP_INPUT, export_params=True).path
    inside = path.stat().st_size
    weights = sum(4 * parameter.numel() for parameter in mlp().parameters())
    holds(
        inside < weights / 10 and path.with_name("model.onnx.data").stat().st_size > 0.99 * weights,
        inside,
    )
    return "They are stored, but in `model.onnx.data`: the .onnx file is less than a tenth of the size of the weights."
