"""The models that the exercise `inspect` asks about: small, and each with one thing that a careless
count misses.

Every function takes a numpy Generator and returns a model with the bytes of its external data
files, `{relative path: bytes}`.
"""

from __future__ import annotations

import numpy as np
from onnx import FunctionProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from formatlab.models import make_model
from formatlab_exercises.inspect.judge import case_parts as parts

Inspected = tuple[ModelProto, dict[str, bytes]]


def plain(rng: np.random.Generator) -> Inspected:
    """A chain of operators, a Constant, and initializers of several shapes: a scalar and an empty
    tensor among them.
    """
    tensors = [
        parts.tensor(rng, "scale", ()),
        parts.tensor(rng, "none", (0, 3)),
        *parts.weights(rng, 3),
    ]
    constant = parts.constant(rng, "constant")
    return make_model(
        parts.graph([constant, *parts.chain(rng, int(rng.integers(9, 15)))], tensors),
        opset=parts.opset(rng),
    ), {}


def vendor_first(rng: np.random.Generator) -> Inspected:
    """opset_import starts with a vendor's domain and ai.onnx.ml, and nodes of both domains."""
    nodes = [
        *parts.chain(rng, 6),
        *parts.chain(rng, int(rng.integers(2, 5)), "v", parts.VENDOR, "com.microsoft"),
        *parts.chain(rng, int(rng.integers(2, 4)), "m", parts.ML, "ai.onnx.ml"),
    ]
    model = make_model(
        parts.graph(nodes, parts.weights(rng, 2)),
        opset=parts.opset(rng),
        domains={"com.microsoft": 1, "ai.onnx.ml": 4, "com.example": 3},
    )
    parts.reorder_imports(model, [1, 2, 0, 3])
    return model, {}


def alias(rng: np.random.Generator) -> Inspected:
    """The default domain written out as ai.onnx, last in opset_import, and on some of the nodes;
    another domain has a higher version. Comments and inferred shapes are in the file too.
    """
    nodes = parts.chain(rng, 8)
    for node in nodes[::3]:
        node.domain = "ai.onnx"
    model = make_model(
        parts.graph(nodes, parts.weights(rng, 2)),
        opset=parts.opset(rng),
        domains={"com.microsoft": 1, "com.example": 30},
    )
    model.opset_import[0].domain = "ai.onnx"
    parts.reorder_imports(model, [1, 2, 0])
    model.doc_string, model.graph.doc_string = "A model.", "Its only graph."
    model.graph.value_info.extend(parts.value(node.output[0]) for node in nodes[:-1])
    return model, {}


def branches(rng: np.random.Generator) -> Inspected:
    """An If whose branches hold nodes and an initializer each, of one name."""
    then, otherwise = parts.body(rng, "then", 2), parts.body(rng, "else", 3)
    for branch in (then, otherwise):
        branch.initializer[0].name = "weight"
    nodes = [*parts.chain(rng, 8), parts.if_node(rng, "if", then, otherwise)]
    return make_model(
        parts.graph(nodes, parts.weights(rng, 2), flagged=True), opset=parts.opset(rng)
    ), {}


def nested(rng: np.random.Generator) -> Inspected:
    """An If inside an If inside an If."""
    inner = parts.if_node(
        rng, "inner", parts.body(rng, "inner_then", 1), parts.body(rng, "inner_else", 2)
    )
    middle = parts.if_node(
        rng, "middle", parts.body(rng, "middle_then", 2, [inner]), parts.body(rng, "middle_else", 1)
    )
    outer = parts.if_node(
        rng, "outer", parts.body(rng, "outer_then", 1, [middle]), parts.body(rng, "outer_else", 1)
    )
    return make_model(
        parts.graph([*parts.chain(rng, 26), outer], parts.weights(rng, 2), flagged=True),
        opset=parts.opset(rng),
    ), {}


def scan(rng: np.random.Generator) -> Inspected:
    """A Scan whose body sums its steps."""
    nodes = [
        helper.make_node("Add", ["sum_in", "step"], ["sum_out"]),
        *parts.chain(rng, 3, "s", source="step"),
    ]
    weight = parts.tensor(rng, "scan_weight", (2, 2, 3))
    row = [parts.value("sum_in", shape=["n"]), parts.value("step", shape=["n"])]
    body = helper.make_graph(
        nodes,
        "scan_body",
        row,
        [parts.value("sum_out", shape=["n"]), parts.value("s3", shape=["n"])],
        [weight],
    )
    start = parts.tensor(rng, "start", (5,))
    scanned = helper.make_node(
        "Scan", ["start", "x"], ["total", "sums"], body=body, num_scan_inputs=1
    )
    return make_model(
        parts.graph([*parts.chain(rng, 11), scanned], [start, *parts.weights(rng, 2)]),
        opset=parts.opset(rng),
    ), {}


def graph_list(rng: np.random.Generator) -> Inspected:
    """A vendor's nodes, one with an attribute that holds a list of graphs, one with a graph under a
    name of its own.
    """
    cases = [parts.body(rng, f"case_{index}", int(rng.integers(1, 4))) for index in range(3)]
    switch = helper.make_node("Switch", ["x"], ["switched"], domain="com.example", cases=cases)
    inside = parts.body(rng, "inside", 2)
    wrap = helper.make_node("Wrap", ["x"], ["wrapped"], domain="com.example", inside=inside)
    return make_model(
        parts.graph([*parts.chain(rng, 16), wrap, switch], parts.weights(rng, 2)),
        opset=parts.opset(rng),
        domains={"com.example": 1},
    ), {}


def functions(rng: np.random.Generator) -> Inspected:
    """A function that is called several times, one of whose nodes holds graphs, with an If in one
    of them, and a function that nobody calls.
    """
    yes, no = (parts.body(rng, f"inner_{side}", 1) for side in ("then", "else"))
    inner = parts.if_node(rng, "inner", yes, no, condition="c")
    then = parts.body(rng, "choose_then", 1, [inner])
    otherwise = parts.body(rng, "choose_else", 1)
    choose = parts.if_node(rng, "choose", then, otherwise, condition="c")
    block = _function("Block", ["x", "c"], ["choose"], [*parts.chain(rng, 3, "b"), choose])
    unused = _function("Unused", ["x"], ["u2"], parts.chain(rng, 2, "u"))
    calls = [
        helper.make_node("Block", ["x", "flag"], [f"call{i}"], domain="local")
        for i in range(int(rng.integers(2, 5)))
    ]
    nodes = [*parts.chain(rng, 14), *calls]
    graph = parts.graph(nodes, parts.weights(rng, 2), flagged=True)
    return make_model(graph, opset=18, domains={"local": 1}, functions=[block, unused]), {}


def _function(
    name: str, inputs: list[str], outputs: list[str], nodes: list[NodeProto]
) -> FunctionProto:
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_function("local", name, inputs, outputs, nodes, opset_imports=opsets)


def low_precision(rng: np.random.Generator) -> Inspected:
    """Initializers whose elements take half a byte, one byte, two bytes or eight: an odd number of
    int4 among them. Another one holds texts.
    """
    kinds = [
        TensorProto.INT4,
        TensorProto.UINT4,
        TensorProto.FLOAT16,
        TensorProto.BFLOAT16,
        TensorProto.INT8,
        TensorProto.FLOAT8E4M3FN,
        TensorProto.INT64,
        TensorProto.BOOL,
    ]
    tensors = [
        parts.tensor(
            rng,
            f"w{kind}",
            (int(rng.integers(1, 4)) * 2 + 1, int(rng.integers(2, 5)) * 2 + 1),
            kind,
        )
        for kind in kinds
    ]
    words = np.array([f"word{place}" for place in range(int(rng.integers(3, 30)))], object)
    tensors.append(numpy_helper.from_array(words, "words"))
    return make_model(parts.graph(parts.chain(rng, 7), tensors), opset=21), {}


def defaults(rng: np.random.Generator) -> Inspected:
    """Some initializers are graph inputs too: the input's default value."""
    tensors = parts.weights(rng, 4)
    graph = parts.graph(parts.chain(rng, 8), tensors)
    graph.input.extend(parts.value(item.name, item.data_type, item.dims) for item in tensors[:2])
    return make_model(graph, opset=parts.opset(rng)), {}


def external(rng: np.random.Generator) -> Inspected:
    """Two tensors in one external file, with a gap between them, a third in a file in a subfolder;
    other files lie beside them, one of them under the third's name.
    """
    tensors = parts.weights(rng, 4)
    files = {
        "weights.bin": parts.move_out(tensors[:2], "weights.bin", gap=int(rng.integers(1, 5)) * 64)
    }
    files["layers/second.bin"] = parts.move_out(tensors[2:3], "layers/second.bin")
    files["other.bin"] = rng.bytes(int(rng.integers(100, 300)))
    files["second.bin"] = files["layers/second.bin"] + rng.bytes(int(rng.integers(100, 300)))
    return make_model(parts.graph(parts.chain(rng, 9), tensors), opset=parts.opset(rng)), files


def external_subgraph(rng: np.random.Generator) -> Inspected:
    """External data that only a subgraph's initializer refers to."""
    tensors = parts.weights(rng, 2)
    then, otherwise = parts.body(rng, "then", 2), parts.body(rng, "else", 2)
    files = {
        "main.bin": parts.move_out(tensors[:1], "main.bin"),
        "then.bin": parts.move_out(then.initializer, "then.bin"),
    }
    nodes = [*parts.chain(rng, 10), parts.if_node(rng, "if", then, otherwise)]
    return make_model(parts.graph(nodes, tensors, flagged=True), opset=parts.opset(rng)), files
