"""What contributes nothing to the outputs counts as absent, in whatever way it is kept from
contributing, and what computes in its place is found in whatever operators it does.
"""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from formatlab import loading
from formatlab.quantized_operators import NATIVE, catalogue
from formatlab_exercises.shared.judge import disturbed
from formatlab_exercises.shared.judge.disturbed import Site
from formatlab_exercises.shared.judge.quantized_census import census, counted
from formatlab_exercises.shared.judge.quantized_loading import known_operators

RNG = np.random.default_rng(5)
WEIGHTS = [RNG.normal(size=(6, 8)), RNG.normal(size=(8, 5))]
FEEDS = {"x": RNG.normal(size=(16, 6)).astype(np.float32)}


def sites(model):
    return [
        Site(node, catalogue.product(node).activation, 0, layer.elements)
        for node, layer in counted(model)
        if layer is not None
    ]


def net(nodes, extra=()):
    """A model of two layers; `nodes` come behind them and write y."""
    layers = [
        helper.make_node("MatMul", ["x", "w0"], ["h"]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("MatMul", ["r", "w1"], ["o"]),
    ]
    stored = [
        numpy_helper.from_array(value.astype(np.float32), f"w{place}")
        for place, value in enumerate(WEIGHTS)
    ]
    graph = helper.make_graph(
        [*layers, *nodes],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 6])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 5])],
        [*stored, *extra],
    )
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=9).SerializeToString()


def scalar(name, value):
    return numpy_helper.from_array(np.float32(value), name)


HONEST = net([helper.make_node("Identity", ["o"], ["y"])])


def spelled(prefix="s"):
    """The two layers as products that are added up: the live path, which no list knows."""
    nodes, x = [], "x"
    for place in (0, 1):
        n = f"{prefix}{place}"
        nodes += [
            helper.make_node("Unsqueeze", [x, "last"], [f"{n}/rows"]),
            helper.make_node("Mul", [f"{n}/rows", f"w{place}"], [f"{n}/products"]),
            helper.make_node("ReduceSum", [f"{n}/products", "first"], [f"{n}/sum"], keepdims=0),
        ]
        x = f"{n}/sum"
        if not place:
            nodes.append(helper.make_node("Relu", [x], [f"{n}/relu"]))
            x = f"{n}/relu"
    return [*nodes, helper.make_node("Identity", [x], ["live"])], [
        numpy_helper.from_array(np.int64([2]), "last"),
        numpy_helper.from_array(np.int64([1]), "first"),
    ]


def branch(name, body):
    return helper.make_graph(
        [helper.make_node("Identity", [body], [name])],
        name,
        [],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)],
    )


def always(value):
    return numpy_helper.from_array(np.array(value), "always")


# How the outputs of layers are kept from contributing: nodes that write `none` from `o`, or `y` from
# `o` and `live`.
KEPT_OUT = {
    "times 0": ([helper.make_node("Mul", ["o", "c"], ["none"])], [scalar("c", 0)]),
    "times 1e-30": ([helper.make_node("Mul", ["o", "c"], ["none"])], [scalar("c", 1e-30)]),
    "divided": ([helper.make_node("Div", ["o", "c"], ["none"])], [scalar("c", 1e30)]),
    "less itself": ([helper.make_node("Sub", ["o", "o"], ["none"])], []),
    "less a copy": (
        [
            helper.make_node("MatMul", ["r", "w1"], ["again"]),
            helper.make_node("Sub", ["o", "again"], ["none"]),
        ],
        [],
    ),
    "cut to a point": (
        [helper.make_node("Clip", ["o", "c", "c"], ["none"])],
        [scalar("c", 0)],
    ),
    "below infinity": (
        [
            helper.make_node("Max", ["o", "c"], ["most"]),
            helper.make_node("Reciprocal", ["most"], ["none"]),
        ],
        [scalar("c", np.inf)],
    ),
    "sliced away": (
        [
            helper.make_node("Slice", ["o", "zero", "zero", "axis"], ["few"]),
            helper.make_node("ReduceSum", ["few", "axis"], ["none"]),
        ],
        [
            numpy_helper.from_array(np.int64([0]), "zero"),
            numpy_helper.from_array(np.int64([1]), "axis"),
        ],
    ),
    "never chosen": (
        [
            helper.make_node("Mul", ["live", "c"], ["zeros"]),
            helper.make_node("Where", ["always", "zeros", "o"], ["none"]),
        ],
        [always(True), scalar("c", 0)],
    ),
    "a branch that is never taken": (
        [
            helper.make_node("Mul", ["live", "c"], ["zeros"]),
            helper.make_node(
                "If",
                ["always"],
                ["none"],
                then_branch=branch("then", "zeros"),
                else_branch=branch("other", "o"),
            ),
        ],
        [always(True), scalar("c", 0)],
    ),
    "a mean of signs": (
        [
            helper.make_node("Mul", ["o", "c"], ["small"]),
            helper.make_node("Tanh", ["small"], ["none"]),
        ],
        [scalar("c", 1e-20)],
    ),
}


@pytest.mark.parametrize("how", KEPT_OUT)
def test_layers_that_contribute_nothing_are_absent(how):
    live, stored = spelled()
    nodes, extra = KEPT_OUT[how]
    data = net([*live, *nodes, helper.make_node("Add", ["live", "none"], ["y"])], [*stored, *extra])
    loading.validate(data)
    layers = [layer.operator for layer in census(loading.parse(data)).layers]
    assert layers.count("MatMul") >= 2, "the census sees them, and the outputs do not"
    assert disturbed.idle(HONEST, data, sites, FEEDS)


@settings(max_examples=30, deadline=None)
@given(st.floats(-1e-3, 1e-3), st.sampled_from(["Mul", "Div"]), st.sampled_from([0.0, 1.0, -3.5]))
def test_a_vanishing_factor_is_none_whatever_it_is(factor, operator, shift):
    live, stored = spelled()
    value = factor if operator == "Mul" else 1e6
    nodes = [
        helper.make_node(operator, ["o", "c"], ["small"]),
        helper.make_node("Add", ["small", "d"], ["moved"]),
        helper.make_node("Sub", ["moved", "d"], ["none"]),
        helper.make_node("Add", ["live", "none"], ["y"]),
    ]
    data = net([*live, *nodes], [*stored, scalar("c", value), scalar("d", shift)])
    assert disturbed.idle(HONEST, data, sites, FEEDS)


@settings(max_examples=30, deadline=None)
@given(st.floats(0, 0.08), st.integers(0, 2**32 - 1), st.booleans())
def test_an_answer_that_is_coarse_and_computes_with_its_layers_passes(noise, seed, fused):
    rng = np.random.default_rng(seed)
    model = onnx.ModelProto.FromString(HONEST)
    for tensor, weight in zip(model.graph.initializer, WEIGHTS, strict=False):
        noisy = weight + noise * rng.normal(size=weight.shape)
        tensor.CopyFrom(numpy_helper.from_array(noisy.astype(np.float32), tensor.name))
    for node in model.graph.node:
        if node.op_type == "MatMul" and fused:
            node.op_type, node.domain = "FusedMatMul", "com.microsoft"
    assert not disturbed.idle(HONEST, model.SerializeToString(), sites, FEEDS)


def test_a_layer_inside_a_local_function_or_a_branch_counts():
    """Wherever a layer stands, it is disturbed there."""
    body = helper.make_function(
        "local",
        "Layer",
        ["a", "b"],
        ["c"],
        [helper.make_node("MatMul", ["a", "b"], ["c"])],
        [helper.make_opsetid("", 18)],
    )
    model = onnx.ModelProto.FromString(HONEST)
    for node in model.graph.node:
        if node.op_type == "MatMul":
            node.op_type, node.domain = "Layer", "local"
    model.functions.append(body)
    model.opset_import.append(helper.make_opsetid("local", 1))
    data = model.SerializeToString()
    assert [layer.elements for layer in census(model).layers] == [48, 40]
    assert not disturbed.idle(HONEST, data, sites, FEEDS)


def test_a_float_layer_is_one_in_every_operator_that_multiplies():
    """The census goes by the catalogue, as running does."""
    runs = {
        *(name for name in catalogue.RUN if not name.startswith(catalogue.MICROSOFT)),
        *(f"{catalogue.MICROSOFT}::{name}" for name in NATIVE),
    }
    for operator in ("FusedConv", "FusedGemm", "FusedMatMul", "TransposeMatMul", "Attention"):
        assert f"{catalogue.MICROSOFT}::{operator}" in runs & catalogue.PRODUCTS.keys()
    assert (
        catalogue.PRODUCTS.keys() & (catalogue.MIXED | catalogue.TABLES | catalogue.OTHERS) == set()
    )
    model = onnx.ModelProto.FromString(HONEST)
    model.graph.node[0].op_type = "FusedMatMul"
    model.graph.node[0].domain = "com.microsoft"
    assert [layer.weights for layer in census(model).layers] == ["float32", "float32"]
    model.graph.node[0].op_type, model.graph.node[0].domain = "Einsum", ""
    model.graph.node[0].attribute.append(helper.make_attribute("equation", "bk,kn->bn"))
    found = census(model)
    assert (len(found.layers), found.weightless) == (1, 1)


def test_what_stands_in_no_list_is_refused_in_words():
    model = onnx.ModelProto.FromString(HONEST)
    model.graph.node[1].op_type = "Bernoulli"
    with pytest.raises(loading.Unloadable) as refused:
        known_operators(model, [])
    assert "Bernoulli" in refused.value.found and "Keep to the operators" in refused.value.cause
    known_operators(model, [model])


def test_an_activation_that_is_put_together_is_as_coarse_as_its_coarsest_part():
    """A slice of nothing, quantized, in front of a float activation makes no quantized layer."""
    text = """<ir_version: 9, opset_import: ["" : 18]>
    g (float[N, 3] x) => (float[N, 2] y) {
        xq = QuantizeLinear(x, s, z)  xd = DequantizeLinear(xq, s, z)
        none = Slice(xd, zero, zero, axis)  both = Concat <axis = 1> (none, x)
        wd = DequantizeLinear(w, s, z)  y = MatMul(both, wd)
    }"""
    model = onnx.parser.parse_model(text)
    constants = {
        "w": np.ones((3, 2), np.int8),
        "s": np.array(0.1, np.float32),
        "z": np.array(0, np.int8),
        "zero": np.int64([0]),
        "axis": np.int64([1]),
    }
    model.graph.initializer.extend(
        numpy_helper.from_array(value, name) for name, value in constants.items()
    )
    [layer] = census(model).layers
    assert (layer.activations, layer.quantized) == ("float32", False)


def test_two_layers_may_become_one():
    """The layers of a size are held against each other only where both models have as many."""
    halves = onnx.ModelProto.FromString(HONEST)
    wide = WEIGHTS[1].astype(np.float32)
    parts = {"left": wide[:, :2], "right": wide[:, 2:]}
    del halves.graph.node[2]
    products = [helper.make_node("MatMul", ["r", name], [f"{name}/o"]) for name in parts]
    joined = helper.make_node("Concat", [f"{name}/o" for name in parts], ["o"], axis=1)
    last = halves.graph.node.pop()
    halves.graph.node.extend([*products, joined, last])
    halves.graph.initializer.extend(
        numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in parts.items()
    )
    assert not disturbed.idle(HONEST, halves.SerializeToString(), sites, FEEDS)
    assert not disturbed.idle(halves.SerializeToString(), HONEST, sites, FEEDS)


def test_an_answer_that_only_runs_undisturbed_is_none():
    """Its layer is read by what breaks as soon as it says something else."""
    live, stored = spelled()
    first = FEEDS["x"][:1] @ WEIGHTS[0].astype(np.float32)
    nodes = [
        helper.make_node("ReduceMax", ["h"], ["most"], keepdims=0),
        helper.make_node("Slice", ["h", "start", "end"], ["row"]),
        helper.make_node("Sub", ["row", "expected"], ["moved"]),
        helper.make_node("ReduceSumSquare", ["moved"], ["distance"], keepdims=0),
        helper.make_node("Cast", ["distance"], ["index"], to=TensorProto.INT64),
        helper.make_node("Gather", ["nothing", "index"], ["none"]),
        helper.make_node("Add", ["live", "none"], ["y"]),
    ]
    extra = {
        "start": np.int64([0]),
        "end": np.int64([1]),
        "expected": first,
        "nothing": np.zeros(1, np.float32),
    }
    tensors = [numpy_helper.from_array(value, name) for name, value in extra.items()]
    assert disturbed.idle(HONEST, net([*live, *nodes], [*stored, *tensors]), sites, FEEDS)


def test_disturbing_changes_no_argument():
    model = ir.from_proto(onnx.ModelProto.FromString(HONEST))
    assert [site.key for site in sites(model)] == [48, 40]
    before = HONEST[:]
    disturbed.idle(HONEST, HONEST, sites, FEEDS)
    assert before == HONEST
