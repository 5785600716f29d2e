"""Exports each function alone, and puts the graphs into an If and a Scan by hand."""

import io
import warnings

import onnx
import torch
from onnx import compose, helper

EXPECTED = {"rung": None}


def piece(function, arguments, names, prefix, output):
    """The graph of one function: its inputs are called `names`, everything else gets the prefix."""

    class Module(torch.nn.Module):
        def forward(self, *values):
            return function(*values)

    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"input_names": names, "output_names": [output], "opset_version": 18, "dynamo": False}
        torch.onnx.export(Module(), arguments, buffer, **options)
    graph = compose.add_prefix(onnx.load_from_string(buffer.getvalue()), prefix).graph
    for node in graph.node:
        for i, name in enumerate(node.input):
            if name.removeprefix(prefix) in names:
                node.input[i] = name.removeprefix(prefix)
    return graph


def model(nodes, inputs, outputs, initializers=()):
    graph = helper.make_graph(nodes, "main", inputs, outputs, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def info(name, tensor, *axes):
    kind = onnx.TensorProto.INT64 if tensor.dtype == torch.int64 else onnx.TensorProto.FLOAT
    return helper.make_tensor_value_info(name, kind, [*axes, *tensor.shape[len(axes) :]])


def export_branch(predicate, then_fn, else_fn, example):
    asked = piece(predicate, (example,), ["x"], "p_", "answer")
    sides = [piece(function, (example,), ["x"], prefix, "y") for function, prefix in ((then_fn, "t_"), (else_fn, "e_"))]
    for side in sides:
        del side.input[:]
    choice = helper.make_node("If", ["p_answer"], ["y"], then_branch=sides[0], else_branch=sides[1])
    return model([*asked.node, choice], [info("x", example)], [info("y", then_fn(example))], asked.initializer)


def export_loop(step, initial, sequence):
    body = piece(step, (initial, sequence[0]), ["state", "element"], "s_", "next")
    inputs = [info("state", initial), info("element", sequence[0])]
    body = helper.make_graph(body.node, "body", inputs, body.output, body.initializer)
    scan = helper.make_node("Scan", ["state", "sequence"], ["result"], body=body, num_scan_inputs=1)
    return model([scan], [info("state", initial), info("sequence", sequence, "steps")], [info("result", initial)])
