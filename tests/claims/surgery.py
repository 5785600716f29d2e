"""Graph surgery: the snippets and exercises of the Day 50 text."""

import numpy as np
import onnx
import onnx_graphsurgeon as gs
from onnx import parser

from formatlab import numerics
from formatlab.measure.yardstick import same_function
from formatlab.models import make_model

from .ledger import Source, Verdict, holds, topic
from .running import (
    attempt,
    count,
    model_of,
    newest_ir_version,
    node,
    run,
    session,
    value,
    weight,
)
from .subjects import bert_inputs, bert_training

claim = topic("Graph surgery")
NOTEBOOK = "05-graph-surgery"
DAY_50 = Source.DAY_50


def remove_as_printed(model: onnx.ModelProto) -> onnx.ModelProto:
    """The text's loop over the Dropouts, its clean-up and its export."""
    graph = gs.import_onnx(model)
    for each in graph.nodes:
        if each.op == "Dropout":
            each.outputs[0].inputs.clear()
            each.inputs[0].outputs = each.outputs
    graph.cleanup().toposort()
    return gs.export_onnx(graph)


def mlp_graph(extra: list | None = None) -> onnx.ModelProto:
    """Relu(x @ w + b), with Identity before it."""
    rng = np.random.default_rng(0)
    weights = [
        weight("w", rng.normal(size=(4, 5)).astype(np.float32)),
        weight("b", rng.normal(size=5).astype(np.float32)),
    ]
    nodes = [
        node("Identity", "x", "i"),
        node("MatMul", "i w", "m"),
        node("Add", "m b", "a"),
        node("Relu", "a"),
    ]
    return model_of(
        [*nodes, *(extra or [])], [value("x", ["n", 4])], [value("y", ["n", 5])], weights
    )


@claim(
    "graph-surgery",
    DAY_50,
    "Graph surgery modifies graphs programmatically: add nodes, remove subgraphs, replace operators, fuse patterns.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#replacing-a-node",
)
@claim(
    "rewrite-for-hardware",
    DAY_50,
    "Tools like onnx-graphsurgeon let you rewrite graphs for specific hardware targets.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#fusing-a-pair",
)
def surgery() -> str:
    model = mlp_graph()
    x = np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32)
    before = run(model, {"x": x})
    graph = gs.import_onnx(model)
    identity, product, bias, activation = graph.nodes
    product.inputs[0] = identity.inputs[0]  # remove
    # Fuse.
    fused = gs.Node(
        "Gemm",
        inputs=[product.inputs[0], product.inputs[1], bias.inputs[1]],
        outputs=list(bias.outputs),
    )
    bias.outputs.clear()
    graph.nodes.append(fused)
    activation.op = "Sigmoid"  # replace
    logit = gs.Variable("logit", np.float32)
    graph.nodes.append(gs.Node("Neg", inputs=list(activation.outputs), outputs=[logit]))  # add
    graph.outputs.append(logit)
    changed = gs.export_onnx(graph.cleanup().toposort())
    operators = [each.op_type for each in changed.graph.node]
    holds(operators == ["Gemm", "Sigmoid", "Neg"], operators)
    found = session(changed).run(None, {"x": x})
    w, b = (onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer)
    expected = 1 / (1 + np.exp(-(x @ w + b)))
    holds(
        np.allclose(found[0], expected, rtol=1e-5)
        and np.allclose(found[1], -expected, rtol=1e-5)
        and before.shape == (3, 5),
        found,
    )
    return (
        f"Identity, MatMul, Add, Relu become {', '.join(operators)} in one pass of onnx-graphsurgeon, and the outputs are those of the "
        "new formula."
    )


@claim(
    "dropout-snippet",
    DAY_50,
    "Remove all Dropout nodes: node.outputs[0].inputs.clear(); node.inputs[0].outputs = node.outputs.",
    Verdict.WRONG,
    "line-3-ship#a-snippet-that-destroys",
)
def dropout_snippet() -> str:
    model = bert_training()
    left = remove_as_printed(model)
    refused = attempt(onnx.checker.check_model, left), attempt(session, left)
    sizes = [(len(each.graph.node), count(each, "MatMul")) for each in (model, left)]
    holds(
        sizes[1][1] == 0 < sizes[0][1] and all(said != "accepted" for said in refused),
        f"{sizes}; {refused}",
    )
    with_mask = model_of(
        [node("Dropout", "x", "d mask"), node("Not", "mask", "y")],
        [value("x", [2])],
        [value("y", [2], onnx.TensorProto.BOOL), value("d", [2])],
    )
    crash = attempt(remove_as_printed, with_mask)
    holds(crash.startswith("AttributeError"), crash)
    return (
        f"It destroys the model. `Variable.outputs` lists consumer nodes, not tensors. BERT goes from {sizes[0][0]} nodes to "
        f"{sizes[1][0]}, "
        f"from {sizes[0][1]} MatMul to {sizes[1][1]}; checker and ONNX Runtime refuse the rest. With a mask that is used it stops with "
        "AttributeError."
    )


@claim(
    "cleanup-toposort",
    DAY_50,
    "Clean up and export: graph.cleanup().toposort(); onnx.save(gs.export_onnx(graph), …).",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#dead-ends",
)
def cleanup_toposort() -> str:
    model = mlp_graph([node("Neg", "i", "dead")])
    model.graph.node.reverse()
    tidy = gs.export_onnx(gs.import_onnx(model).cleanup().toposort())
    holds(
        len(tidy.graph.node) == 4 and attempt(onnx.checker.check_model, tidy) == "accepted",
        tidy.graph.node,
    )
    holds(
        (tidy.ir_version, tidy.opset_import[0].version)
        == (model.ir_version, model.opset_import[0].version),
        tidy.ir_version,
    )
    fresh = gs.export_onnx(gs.Graph())
    holds(fresh.ir_version == onnx.IR_VERSION, fresh.ir_version)
    return (
        "Dead nodes go, order comes back, IR version and opset stay those of the source. A graph begun with `gs.Graph()` gets IR version "
        f"{newest_ir_version()}."
    )


@claim(
    "layernorm-exercise",
    DAY_50,
    "Exercise: remove all LayerNorm nodes from BERT with onnx-graphsurgeon.",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#removing-layernorm",
)
def layer_norm_exercise() -> str:
    model = bert_training()
    graph = gs.import_onnx(model)
    norms = [each for each in graph.nodes if each.op == "LayerNormalization"]
    for each in norms:
        _bypass(graph, each)
    without = gs.export_onnx(graph.cleanup().toposort())
    original, changed = (
        run(each, bert_inputs()) for each in (_without_dropout(model), _without_dropout(without))
    )
    largest = [float(np.abs(each).max()) for each in (original, changed)]
    holds(
        count(without, "LayerNormalization") == 0 and not np.allclose(original, changed, rtol=0.1),
        largest,
    )
    return (
        f"It can be done ({len(norms)} nodes), but what is left computes another function: only a model whose LayerNorms are Identity "
        "is a reference. A drill, no optimisation."
    )


def _bypass(graph: gs.Graph, each: gs.Node) -> None:
    source, target = each.inputs[0], each.outputs[0]
    for consumer in list(target.outputs):
        consumer.inputs = [source if tensor is target else tensor for tensor in consumer.inputs]
    graph.outputs = [source if tensor is target else tensor for tensor in graph.outputs]
    each.outputs.clear()


def _without_dropout(model: onnx.ModelProto) -> onnx.ModelProto:
    graph = gs.import_onnx(model)
    for each in [each for each in graph.nodes if each.op == "Dropout"]:
        _bypass(graph, each)
    return gs.export_onnx(graph.cleanup().toposort())


@claim(
    "dropout-exercise",
    DAY_50,
    "Exercise: remove all Dropout nodes from BERT with onnx-graphsurgeon.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#dropout",
)
def dropout_exercise() -> str:
    model = bert_training()
    clean = _without_dropout(model)
    # At the default level ONNX Runtime takes the Dropouts out itself.
    expected = run(model, bert_inputs())
    error = float(np.abs(run(clean, bert_inputs()) - expected).max() / np.abs(expected).max())
    removed = count(model, "Dropout") - count(clean, "Dropout")
    holds(removed == 7 and error < 1e-5, f"{removed} removed, relative error {error:.1e}")
    return (
        f"It can be done, by handing the Dropout's input to each of its consumers: {removed} nodes gone, the outputs the same to a "
        "relative error below 1e-5."
    )


@claim(
    "gemm-exercise",
    DAY_50,
    "Exercise: replace MatMul + Add with fused Gemm using gs.",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#fusing-a-pair",
)
def gemm_exercise() -> str:
    model = onnx.shape_inference.infer_shapes(bert_training())
    rank = {
        each.name: len(each.type.tensor_type.shape.dim)
        for each in (*model.graph.value_info, *model.graph.input, *model.graph.output)
    }
    rank |= {tensor.name: len(tensor.dims) for tensor in model.graph.initializer}
    products = {each.output[0]: each for each in model.graph.node if each.op_type == "MatMul"}
    biases = {tensor.name for tensor in model.graph.initializer}
    pairs = [
        products[name]
        for each in model.graph.node
        if each.op_type == "Add" and biases & set(each.input)
        for name in each.input
        if name in products
    ]
    legal = [pair for pair in pairs if rank[pair.input[0]] == 2]
    holds(len(pairs) == 12 and not legal, f"{len(legal)} of {len(pairs)}")
    holds(_gemm_between_reshapes_agrees(), "a Gemm between two Reshapes gives other outputs")
    return (
        f"BERT has {len(pairs)} such pairs, and {len(legal)} that are a Gemm as they stand: Gemm takes matrices, and BERT's activations "
        "have rank 3. Between two Reshapes that flatten batch and sequence each of them becomes one, with four helper nodes and the "
        "same outputs."
    )


def _gemm_between_reshapes_agrees() -> bool:
    """For a MatMul and Add of rank 3, at several shapes."""
    head = "g (float[B, S, 5] x, float[5, 4] w, float[4] b) => (float[B, S, 4] y)"
    pair = parser.parse_graph(f"{head} {{ h = MatMul(x, w) y = Add(h, b) }}")
    gemm = parser.parse_graph(
        f"""{head} <int64[2] rows = {{-1, 5}}, int64[1] columns = {{4}}> {{
        flat = Reshape(x, rows)                 h = Gemm(flat, w, b)
        lengths = Shape <start = 0, end = 2>(x)
        shape = Concat <axis = 0>(lengths, columns)   y = Reshape(h, shape)
        }}"""
    )
    rng = np.random.default_rng(0)
    models = [make_model(graph).SerializeToString() for graph in (pair, gemm)]
    for batch, length in ((2, 7), (1, 3), (3, 11)):
        shapes = {"x": (batch, length, 5), "w": (5, 4), "b": (4,)}
        feeds = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
        [[[original]]], [[[found]]] = (numerics.run(model, [feeds]) for model in models)
        exact = feeds["x"].astype(np.float64) @ feeds["w"] + feeds["b"]
        if not same_function(found, original, exact):
            return False
    return True


@claim(
    "check-after-transformation",
    DAY_50,
    "Exercise: verify the modified model with check_model().",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#proving-equivalence",
)
def check_after_transformation() -> str:
    model = mlp_graph()
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    changed.graph.node[2].input[1] = "zero"
    changed.graph.initializer.append(weight("zero", np.zeros(5, np.float32)))
    said = attempt(onnx.checker.check_model, changed, full_check=True)
    x = np.ones((2, 4), np.float32)
    holds(
        said == "accepted" and not np.allclose(run(model, {"x": x}), run(changed, {"x": x})), said
    )
    return "Necessary, not sufficient: a rewrite that loses the bias passes the full check, and its outputs are wrong. Compare outputs too."
