"""What a model is apart from its file: a graph that runs without its framework, and can be edited."""

import ast
import subprocess
import sys

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, checker
from onnx.reference import ReferenceEvaluator
from safetensors.torch import load, save

from .ledger import Source, Verdict, holds, topic
from .running import attempt, model_of, node, relative_error, run, session, value
from .subjects import MLP_INPUT, cnn_default, mlp, mlp_default, mlp_torchscript

claim = topic("A portable graph")
DAY_50, FORMAT, INTEROPERABILITY = Source.DAY_50, Source.FORMAT, Source.INTEROPERABILITY


@claim(
    "dag",
    FORMAT,
    "An ONNX model represents a network as a Directed Acyclic Graph.",
    Verdict.CONFIRMED,
    "05-graph-surgery#order-and-cycles",
)
def dag() -> str:
    cycle = model_of(
        [node("Add", "x b", "a"), node("Relu", "a", "b")], [value("x", [2])], [value("b", [2])]
    )
    said = attempt(checker.check_model, cycle)
    holds("not output of any previous nodes" in said or "topologically sorted" in said, said)
    return "The checker refuses a cycle: nodes have to be topologically sorted. Repetition is an operator (Loop, Scan) with a graph inside."


@claim(
    "nodes-edges",
    FORMAT,
    "Each node represents a mathematical operator, and the edges represent the tensors flowing between them.",
    Verdict.CONFIRMED,
    "05-graph-surgery#what-a-graph-is",
)
def nodes_edges() -> str:
    graph = cnn_default().model.graph
    made = (
        {name for each in graph.node for name in each.output}
        | {tensor.name for tensor in graph.initializer}
        | {each.name for each in graph.input}
    )
    used = {name for each in graph.node for name in each.input if name}
    holds(used <= made, used - made)
    kinds = sorted({each.op_type for each in graph.node})
    return f"The CNN's nodes: {', '.join(kinds)}. Every name that a node reads is an input, an initializer, or another node's output."


@claim(
    "graph-and-weights",
    DAY_50,
    "Interchange formats serialize the computation graph, weights, and metadata into a framework-agnostic representation.",
    Verdict.MISLEADING,
    "01-format-landscape#what-a-file-can-hold",
)
def graph_weights_metadata() -> str:
    back = load(save({"weight": mlp()[0].weight.detach()}))
    holds(list(back) == ["weight"], list(back))
    model = mlp_default().model
    holds(
        model.graph.node and model.graph.initializer and model.producer_name,
        "the export is not complete",
    )
    return "True of ONNX. SafeTensors, which the text lists as interchange too, holds named tensors only: no graph."


@claim(
    "framework-independent",
    FORMAT,
    "The graph representation is independent of the source framework.",
    Verdict.CONFIRMED,
    "02-inside-an-onnx-file#operators",
)
@claim(
    "decoupled",
    Source.COMPILATION,
    "ONNX decouples training frameworks from deployment runtimes.",
    Verdict.CONFIRMED,
    "01-format-landscape#weights-and-a-graph",
)
@claim(
    "decoupled",
    INTEROPERABILITY,
    "By decoupling training from inference, ONNX lets you train in PyTorch and deploy in ONNX Runtime.",
    Verdict.CONFIRMED,
    "01-format-landscape#weights-and-a-graph",
)
@claim(
    "engine-needs-nodes",
    INTEROPERABILITY,
    "The inference engine does not need to know how the model was trained; it only needs to execute the nodes.",
    Verdict.CONFIRMED,
    "01-format-landscape#weights-and-a-graph",
)
def decoupled() -> str:
    script = (
        "import sys, numpy, onnxruntime\n"
        f"session = onnxruntime.InferenceSession({str(mlp_default().path)!r}, providers=['CPUExecutionProvider'])\n"
        "x = numpy.linspace(-1, 1, 784, dtype=numpy.float32).reshape(1, 784)\n"
        "print(session.run(None, {'input': x})[0].tolist(), 'torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    outputs, torch_there = done.stdout.strip().rsplit(" ", 1)
    error = relative_error(np.array(ast.literal_eval(outputs)), mlp()(MLP_INPUT))
    holds(
        error < 1e-5 and torch_there == "False",
        f"relative error {error:.1e}, torch imported: {torch_there}",
    )
    return "A process that never imports torch runs the exported MLP; its logits agree with PyTorch's to a relative error below 1e-5."


@claim(
    "complete-map",
    INTEROPERABILITY,
    "When you export to ONNX you save not just weights but a complete map of the operations.",
    Verdict.CONFIRMED,
    "01-format-landscape#what-a-file-can-hold",
)
def complete_map() -> str:
    x = MLP_INPUT.numpy()
    error = relative_error(run(mlp_torchscript().model, {"input": x}), mlp()(MLP_INPUT))
    holds(error < 1e-5, error)
    return "Operators, attributes and weights suffice: the file alone gives PyTorch's logits, to a relative error below 1e-5."


@claim(
    "immutable-map",
    INTEROPERABILITY,
    "…an immutable map of the mathematical operations.",
    Verdict.WRONG,
    "01-format-landscape#immutable",
)
@claim(
    "immutable-format",
    INTEROPERABILITY,
    "It is an immutable format intended for the deployment phase.",
    Verdict.WRONG,
    "05-graph-surgery#replacing-a-node",
)
def immutable() -> str:
    model = model_of([node("Relu", "x")], [value("x", [2])], [value("y", [2])])
    before = run(model, {"x": np.array([-1, 2], np.float32)})
    model.graph.node[0].op_type = "Neg"
    after = run(model, {"x": np.array([-1, 2], np.float32)})
    holds(before.tolist() == [0, 2] and after.tolist() == [1, -2], after)
    return "One assignment to `node.op_type` turns Relu into Neg, and the model computes something else. Graph surgery is nothing but that."


@claim(
    "training",
    INTEROPERABILITY,
    "You cannot use ONNX to perform backpropagation or update model weights.",
    Verdict.MISLEADING,
    "01-format-landscape#not-for-training",
)
def training() -> str:
    domain = "ai.onnx.preview.training"
    operators = sorted(
        {
            schema.name
            for schema in onnx.defs.get_all_schemas_with_history()
            if schema.domain == domain
        }
    )
    holds(
        operators == ["Adagrad", "Adam", "Gradient", "Momentum"]
        and "training_info" in {field.name for field in ModelProto.DESCRIPTOR.fields},
        operators,
    )
    step = node(
        "Momentum",
        "rate count weight gradient speed",
        "new_weight new_speed",
        domain,
        alpha=0.9,
        beta=1.0,
        norm_coefficient=0.0,
        mode="standard",
    )
    inputs = [
        value("rate", []),
        value("count", [], TensorProto.INT64),
        *(value(name, [1]) for name in ("weight", "gradient", "speed")),
    ]
    model = model_of(
        [step], inputs, [value("new_weight", [1]), value("new_speed", [1])], domains={domain: 1}
    )
    one = np.ones(1, np.float32)
    feeds = {
        "rate": np.float32(0.5),
        "count": np.int64(1),
        "weight": one,
        "gradient": one,
        "speed": 0 * one,
    }
    updated = ReferenceEvaluator(model).run(None, feeds)[0]
    holds(updated.tolist() == [0.5], updated)
    refused = attempt(session, model)
    holds("not a registered function/op" in refused, refused)
    return (
        f"The standard defines {', '.join(operators)} and `training_info`, and onnx's reference evaluator takes a Momentum step. "
        "The ONNX Runtime of this course, built for inference, refuses it."
    )
