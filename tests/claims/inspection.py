"""Looking at a model: the statistics of the Day 50 text, and Netron."""

import socket
import urllib.request
from collections import Counter
from importlib.metadata import entry_points

import netron
import numpy as np
import onnx
from onnx import helper

from .ledger import Source, Verdict, holds, topic
from .running import BOOL, attempt, count, model_of, node, value, weight
from .subjects import bert_default, bert_torchscript, bert_training, cnn, cnn_default, mlp_default

claim = topic("Inspection")
NOTEBOOK = "02-inside-an-onnx-file"
DAY_50, FORMAT = Source.DAY_50, Source.FORMAT


def vendor_first() -> onnx.ModelProto:
    """A valid model whose first opset import is a vendor's."""
    nodes = [node("FastGelu", "x", "a", "com.microsoft"), node("Relu", "a")]
    model = model_of(
        nodes, [value("x", [2])], [value("y", [2])], opset=18, domains={"com.microsoft": 1}
    )
    imports = list(model.opset_import)
    del model.opset_import[:]
    model.opset_import.extend(reversed(imports))
    return model


def with_branch() -> onnx.ModelProto:
    """An If with one node in each branch, each with an initializer of its own."""

    def branch(operator: str) -> onnx.GraphProto:
        weights = [weight(f"{operator}_w", np.ones(2, np.float32))]
        return helper.make_graph(
            [node(operator, f"x {operator}_w", f"{operator}_y")],
            operator,
            [],
            [value(f"{operator}_y", [2])],
            weights,
        )

    choose = node("If", "c", then_branch=branch("Add"), else_branch=branch("Mul"))
    return model_of([choose], [value("x", [2]), value("c", [], BOOL)], [value("y", [2])])


@claim(
    "print-ir-version",
    DAY_50,
    "IR version: model.ir_version.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#versions",
)
def ir_version() -> str:
    found = mlp_default().model.ir_version
    holds(found in range(3, onnx.IR_VERSION + 1), found)
    return f"It is a field of the file; the exported MLP says {found}."


@claim(
    "print-opset",
    DAY_50,
    "Opset: model.opset_import[0].version.",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#opset-imports",
)
def first_import() -> str:
    model = vendor_first()
    holds(
        attempt(onnx.checker.check_model, model, full_check=True) == "accepted",
        "the checker asks for an order",
    )
    first, right = (
        model.opset_import[0].version,
        next(entry.version for entry in model.opset_import if entry.domain == ""),
    )
    holds((first, right) == (1, 18), (first, right))
    return f"The first import is any domain's. For a valid model that lists com.microsoft first the line prints {first}; its opset is {right}."


@claim(
    "print-nodes",
    DAY_50,
    "Nodes: len(model.graph.node).",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#subgraphs",
)
def nodes() -> str:
    model = with_branch()
    inside = [len(attribute.g.node) for attribute in model.graph.node[0].attribute]
    holds((len(model.graph.node), inside) == (1, [1, 1]), inside)
    return (
        f"It counts the outermost graph only: {len(model.graph.node)} for an If whose branches hold {sum(inside)} more. Functions are "
        "not counted either."
    )


@claim(
    "print-inputs",
    DAY_50,
    "Inputs: names of model.graph.input; outputs: names of model.graph.output.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#initializers",
)
def inputs() -> str:
    graph = cnn_default().model.graph
    names = [each.name for each in graph.input], [each.name for each in graph.output]
    holds(names == (["image"], ["logits"]), names)
    listed = model_of(
        [node("Add", "x w")],
        [value("x", [2]), value("w", [2])],
        [value("y", [2])],
        [weight("w", np.ones(2, np.float32))],
    )
    holds(
        attempt(onnx.checker.check_model, listed) == "accepted",
        "an initializer may not be an input",
    )
    return "Right for what the exporter writes. In general an initializer can be listed as an input too: it is then the input's default."


@claim(
    "print-initializers",
    DAY_50,
    "Initializers (weights): len(model.graph.initializer).",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#initializers",
)
def initializers() -> str:
    module, model = cnn(), cnn_default().model
    parameters = sum(parameter.numel() for parameter in module.parameters())
    tensors = model.graph.initializer
    elements = sum(int(np.prod(tensor.dims)) for tensor in tensors)
    holds(
        parameters != elements and len(with_branch().graph.initializer) == 0, (parameters, elements)
    )
    return (
        f"It counts tensors, not weights: {len(tensors)} for the exported CNN, which hold {elements} numbers (its {parameters} parameters, "
        "less the batch normalisation that was folded away, and shapes). A subgraph's initializers are not in it."
    )


@claim(
    "operator-histogram",
    DAY_50,
    "Operator histogram: Counter(n.op_type for n in model.graph.node).",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#operators",
)
def histogram() -> str:
    counted = Counter(each.op_type for each in with_branch().graph.node)
    holds(counted == {"If": 1}, counted)
    doubled = model_of(
        [node("Gelu", "x", "a"), node("Gelu", "a", domain="com.microsoft")],
        [value("x", [2])],
        [value("y", [2])],
        domains={"com.microsoft": 1},
    )
    merged = Counter(each.op_type for each in doubled.graph.node)
    holds(merged == {"Gelu": 2}, merged)
    return (
        "It sees no subgraphs (an If with Add and Mul inside counts as one If) and takes operators of different domains for one (Gelu, "
        "com.microsoft's Gelu)."
    )


@claim(
    "netron-port",
    DAY_50,
    "netron resnet50.onnx opens the browser at http://localhost:8080.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#netron",
)
def netron_port() -> str:
    script = [
        entry.name
        for entry in entry_points(group="console_scripts")
        if entry.value.startswith("netron")
    ]
    address = netron.start(str(cnn_default().path), browse=False)
    with socket.socket() as probe:
        # By Netron, or by whoever made it look elsewhere.
        taken = probe.connect_ex(("localhost", 8080)) == 0
    netron.stop(address)
    holds(script == ["netron"] and address[0] == "localhost" and taken, f"{script}, {address}")
    return "Its server takes port 8080 of localhost, or another where that is in use. The package installs the command `netron`."


@claim(
    "netron-renders",
    FORMAT,
    "Netron renders the graph, with tensor shapes, operator attributes and connections.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#netron",
)
@claim(
    "netron-verifies",
    FORMAT,
    "Visualizing the graph helps verify that dynamic axes and operators were exported correctly.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#netron",
)
def netron_renders() -> str:
    path = cnn_default().path
    address = netron.start(str(path), address=("localhost", 0), browse=False)
    try:
        page = (
            urllib.request.urlopen(f"http://{address[0]}:{address[1]}/", timeout=10).read().decode()
        )
        served = urllib.request.urlopen(
            f"http://{address[0]}:{address[1]}/data/{path.name}", timeout=10
        ).read()
    finally:
        netron.stop(address)
    holds("<html" in page.lower() and served == path.read_bytes(), page[:200])
    return (
        "Its server hands the file over as it is, and the page draws it: tests/test_show.py looks at it in a browser. It draws what "
        "the file declares and checks nothing."
    )


@claim(
    "bert-dropout-nodes",
    DAY_50,
    "Exercise: remove all Dropout and LayerNorm nodes from a BERT ONNX model.",
    Verdict.MISLEADING,
    "05-graph-surgery#dropout",
)
def bert_dropout_nodes() -> str:
    exported = bert_default().model, bert_torchscript(17).model, bert_torchscript(14).model
    dropouts = [count(model, "Dropout") for model in exported]
    layer_norms = [count(model, "LayerNormalization") for model in exported]
    trained = bert_training()
    holds(
        dropouts == [0, 0, 0] and layer_norms == [5, 5, 0] and count(trained, "Dropout") == 7,
        (dropouts, layer_norms),
    )
    return (
        f"A BERT that is exported as it should be, in evaluation mode, has {dropouts[0]} Dropout; in training mode the two-layer one has "
        f"{count(trained, 'Dropout')}. At opset 14 it has no LayerNormalization node either, but the decomposed operators."
    )
