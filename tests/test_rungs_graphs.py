"""The reusable checks of graphs: what they see in nested graphs, and what they keep from native
code.
"""

from collections import Counter

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser

from formatlab import graphs, loading, numerics
from formatlab.loading import Caps, Unloadable
from formatlab.models import make_model, to_bytes

ROOMY = Caps(bytes=1 << 20, nodes=100, elements=10_000)
IF = """
    g (float[N] x, bool flag) => (float[N] y)
    <float[1] w = {2}> {
        h = Mul(x, w)
        y = If (flag) <
            then_branch = yes () => (float[N] a) { b = Relu(h) a = Add(b, w) },
            else_branch = no () => (float[N] a) { a = Neg(h) }
        >
    }"""


def model_of(text):
    return make_model(parser.parse_graph(text))


def refusal(data, caps=ROOMY, **options):
    with pytest.raises(Unloadable) as caught:
        loading.refuse(data, caps, **options)
    return caught.value


def test_nodes_of_all_graphs_and_functions_are_seen():
    model = model_of(IF)
    body = [helper.make_node("Dropout", ["a"], ["b"])]
    model.functions.append(
        helper.make_function("local", "F", ["a"], ["b"], body, [helper.make_opsetid("", 20)])
    )
    assert Counter(node.op_type for node in graphs.nodes(model)) == {
        "Mul": 1,
        "If": 1,
        "Relu": 1,
        "Add": 1,
        "Neg": 1,
        "Dropout": 1,
    }


@pytest.mark.parametrize("field", ["producer_name", "node.name", "node.input", "domain"])
def test_text_that_is_not_utf_8_is_refused_before_anything_has_to_write_it(field):
    model = model_of(IF)
    model.producer_name, model.graph.node[0].name = "producer", "product"
    model.opset_import.add(domain="domain", version=1)
    word = {"node.name": b"product", "node.input": b"flag"}.get(field, field[:8].encode())
    found = refusal(model.SerializeToString().replace(word, b"\x80" + word[1:]))
    assert found.expected == "text in UTF-8"


@pytest.mark.parametrize(
    ("edit", "name", "depth", "later"),
    [
        (lambda graph: graph.node.pop(0), "h", 1, False),
        (lambda graph: graph.ClearField("initializer"), "w", 0, False),
        (lambda graph: graph.node[1].attribute[0].g.node.pop(), "a", 1, False),
        (lambda graph: graph.output[0].__setattr__("name", "z"), "z", 0, False),
        (lambda graph: graph.node[1].attribute[0].g.node.reverse(), "b", 1, True),
    ],
)
def test_a_name_that_nobody_wrote_is_found(edit, name, depth, later):
    model = model_of(IF)
    assert graphs.unwritten(model) == []
    edit(model.graph)
    first = graphs.unwritten(model)[0]
    assert (first.name, first.depth, first.later) == (name, depth, later)


def test_what_serves_no_output_is_dead():
    model = model_of("""
        g (float[N] x) => (float[N] y)
        <float[1] w = {2}, float[1] unused = {3}> {
            c = Constant <value = float[1] {1}> ()
            d = Add(x, c)
            e = Neg(d)
            y = Mul(x, w)
        }""")
    liveness = graphs.liveness(ir.from_proto(model))
    assert liveness.live == {"Mul": 1}
    assert liveness.dead == {"Add": 1, "Neg": 1}
    assert (liveness.unused_initializers, liveness.unused_constants) == (("unused",), 1)


def test_an_output_that_depends_on_no_input_is_found_through_subgraphs():
    assert graphs.constant_outputs(model_of(IF)) == []
    constant = model_of(
        "g (float[N] x) => (float[1] y, float[N] z) { c = Constant <value = float[1] {1}> () y = Neg(c) z = Neg(x) }"
    )
    assert graphs.constant_outputs(constant) == ["y"]


def test_elements_are_counted_wherever_they_hide():
    model = model_of(IF)
    assert graphs.constant_elements(model) == 1
    model.graph.node.append(helper.make_node("Constant", [], ["c"], value_floats=[1.0] * 7))
    model.graph.node[1].attribute[0].g.initializer.append(
        numpy_helper.from_array(np.zeros((2, 3), np.float32), "z")
    )
    sparse = helper.make_sparse_tensor(
        helper.make_tensor("s", TensorProto.FLOAT, [4], [1.0] * 4),
        helper.make_tensor("i", TensorProto.INT64, [4], [0, 1, 2, 3]),
        [9],
    )
    model.graph.sparse_initializer.append(sparse)
    assert graphs.constant_elements(model) == 1 + 7 + 6 + 8


def test_a_sound_model_is_not_refused():
    data = to_bytes(model_of(IF))
    loading.refuse(data, Caps.around(data))
    loading.validate(data)


@pytest.mark.parametrize(
    "data", [b"not a model at all", b"\x0a\xff\xff\xff\xff\x7f", to_bytes(model_of(IF))[:-40]]
)
def test_bytes_that_are_no_model_are_refused(data):
    assert "bytes that are none" in refusal(data).found


def test_an_empty_model_is_refused():
    assert "empty" in refusal(b"").found


@pytest.mark.parametrize(("depth", "words"), [(9, "deeper"), (5000, "bytes that are none")])
def test_deep_nesting_is_refused(depth, words):
    inner = b""
    for _ in range(depth):  # by hand, since protobuf's own writer refuses such depths
        inner = field(1, field(5, field(6, inner) + field(1, b"then_branch") + b"\xa0\x01\x05"))
    model = ModelProto(ir_version=10).SerializeToString() + field(7, inner)
    assert words in refusal(model, Caps(bytes=1 << 30, nodes=100_000, elements=10)).found


def field(number, data):
    """A length-delimited protobuf field."""
    length, size = len(data), b""
    while length > 127:
        size += bytes([length & 127 | 128])
        length >>= 7
    return bytes([number << 3 | 2]) + size + bytes([length]) + data


def test_too_many_bytes_nodes_and_elements_are_refused():
    data = to_bytes(model_of(IF))
    assert "bytes" in refusal(data, Caps(bytes=10, nodes=100, elements=100)).found
    assert "5 nodes" in refusal(data, Caps(bytes=1 << 20, nodes=4, elements=100)).found
    huge = model_of(IF)
    huge.graph.initializer.append(
        TensorProto(name="huge", data_type=TensorProto.FLOAT, dims=[1 << 40, 1 << 40])
    )
    assert f"{(1 << 80) + 1} elements" in refusal(huge.SerializeToString()).found


def test_a_tensor_of_a_thousand_huge_dimensions_is_refused():
    """Python refuses to print the product: 2^63 to the power of 1000 has 19,000 digits."""
    model = model_of(IF)
    model.graph.initializer.append(
        TensorProto(name="huge", data_type=TensorProto.FLOAT, dims=[(1 << 63) - 1] * 1000)
    )
    assert "1000" in refusal(model.SerializeToString()).found


def test_negative_dimensions_are_refused():
    model = model_of(IF)
    model.graph.initializer.append(
        TensorProto(name="bad", data_type=TensorProto.FLOAT, dims=[-1, -1])
    )
    assert "negative" in refusal(model.SerializeToString()).found


def test_segments_of_tensors_are_refused():
    """onnx.checker accepts them, and onnx.numpy_helper raises."""
    tensor = TensorProto(name="part", data_type=TensorProto.FLOAT, dims=[1], float_data=[1])
    tensor.segment.begin = 0
    model = model_of(IF)
    model.graph.initializer.append(tensor)
    onnx.checker.check_model(model, full_check=True)
    assert refusal(model.SerializeToString()).found == "a segment of a tensor"


@pytest.mark.parametrize(
    "place",
    [
        "initializer",
        "subgraph",
        "sparse",
        "attribute",
        "attributes",
        "sparse attribute",
        "sparse attributes",
    ],
)
def test_data_in_another_file_is_refused_wherever_it_is_named(place):
    model = model_of(IF)
    tensor = TensorProto(
        name="e", data_type=TensorProto.FLOAT, dims=[1], data_location=TensorProto.EXTERNAL
    )
    tensor.external_data.add(key="location", value="../../secret")
    if place == "initializer":
        model.graph.initializer.append(tensor)
    elif place == "subgraph":
        model.graph.node[1].attribute[0].g.initializer.append(tensor)
    elif place == "sparse":
        model.graph.sparse_initializer.add().values.CopyFrom(tensor)
    else:
        attribute = model.graph.node.add(op_type="Constant", output=["c"]).attribute.add(
            name="value"
        )
        if place == "attribute":
            attribute.t.CopyFrom(tensor)
        elif place == "attributes":
            attribute.tensors.append(tensor)
        elif place == "sparse attribute":
            attribute.sparse_tensor.values.CopyFrom(tensor)
        else:
            attribute.sparse_tensors.add().values.CopyFrom(tensor)
    assert "another file" in refusal(model.SerializeToString()).found


def test_foreign_operators_are_refused_unless_allowed():
    model = model_of(IF)
    model.graph.node[1].attribute[0].g.node[0].domain = "com.evil"
    data = model.SerializeToString()
    problem = refusal(data)
    assert "'com.evil'" in problem.found and problem.quotes
    loading.refuse(data, ROOMY, frozenset({"", "com.evil"}))


def test_versions_that_the_runtime_does_not_load_are_refused_in_words():
    model = model_of(IF)
    model.ir_version = loading.MAX_IR_VERSION + 1
    assert "make_model" in refusal(model.SerializeToString()).cause
    newest = make_model(model.graph, opset=loading.MAX_OPSET, ir_version=loading.MAX_IR_VERSION)
    loading.refuse(to_bytes(newest), ROOMY)
    loading.session(to_bytes(newest), "ORT_DISABLE_ALL")


def test_a_shape_clash_that_only_the_full_check_sees_is_refused():
    model = model_of("g (float[2, 3] x) => (float[N, M] y) { h = Neg(x) y = Neg(h) }")
    model.graph.value_info.append(helper.make_tensor_value_info("h", TensorProto.FLOAT, [7, 7]))
    onnx.checker.check_model(model)
    loading.session(to_bytes(model), "ORT_DISABLE_ALL")
    with pytest.raises(Unloadable) as caught:
        loading.validate(to_bytes(model))
    assert "onnx.checker" in caught.value.expected and caught.value.quotes


def test_the_shape_of_an_input_can_be_told_for_each_run():
    model = model_of("g (float[N, M] x, float[M] z) => (float[N, M] y) { y = Add(x, z) }")
    drawn = numerics.feeds(model, 5, shapes={"x": [[1, 3], [4, 3], [2, 1]]})
    assert [feeds["x"].shape for feeds in drawn] == [(1, 3), (4, 3), (2, 1)]
    assert len({feeds["z"].shape for feeds in drawn}) == 3


def test_a_dimension_without_a_name_has_rows_too():
    """One of 0 would make every comparison of outputs empty."""
    model = model_of("g (float[?, 2] x, float[N, 2] z) => (float[M, 2] y) { y = Add(x, z) }")
    named = [feeds["z"] for feeds in numerics.feeds(model, 5)]
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = -1
    for drawn in (numerics.feeds(model, 5), numerics.feeds(model, 6)):
        assert len({feeds["x"].shape for feeds in drawn}) == 3
        assert min(feeds["x"].shape[0] for feeds in drawn) > 1
    again = [feeds["z"] for feeds in numerics.feeds(model, 5)]
    assert [value.shape for value in named] == [value.shape for value in again]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("seq(float[N])", "is no tensor of a known type"),
        ("float", "declares no shape"),
    ],
)
def test_inputs_that_cannot_be_drawn_are_named(kind, words):
    model = model_of(f"g ({kind} x) => (float[N] y) {{ y = Any(x) }}")
    if words == "declares no shape":
        model.graph.input[0].type.tensor_type.ClearField("shape")
    with pytest.raises(ValueError, match=f"the input 'x' {words}"):
        numerics.feeds(model, 5)


def test_a_weight_in_a_function_s_branch_is_one_of_the_model_s():
    model = parser.parse_model("""<ir_version: 10, opset_import: ["": 20, "my": 1]>
        g (bool c, float[2] x) => (float[2] y) { y = my.f(c, x) }
        <domain: "my", opset_import: ["": 20]> f (c, x) => (y) {
            y = If(c) <then_branch = t () => (float[2] a) { a = Add(x, w) },
                       else_branch = e () => (float[2] b) { b = Neg(x) }> }""")
    weight = numpy_helper.from_array(np.float32([1, 2]), "w")
    branch = model.functions[0].node[0].attribute[0].g
    branch.initializer.append(weight)
    assert [tensor.name for tensor in graphs.tensors(model)] == ["w"]
    branch.initializer[0].external_data.add(key="location", value="/etc/passwd")
    with pytest.raises(Unloadable) as caught:
        loading.refuse(model.SerializeToString(), ROOMY, frozenset({"", "my"}))
    assert "another file" in caught.value.found


def test_feeds_are_fresh_and_of_several_shapes():
    model = model_of(
        "g (float[N, M, 3] x, int64[N, M] ids, bool flag) => (float[N, M, 3] y) { y = Neg(x) }"
    )
    drawn = numerics.feeds(model, 5, {"ids": [10, 12]})
    assert len(drawn) >= 3 and len({feeds["x"].shape for feeds in drawn}) >= 2
    assert all(
        feeds["x"].shape[:2] == feeds["ids"].shape and feeds["x"].shape[2] == 3 for feeds in drawn
    )
    assert {int(value) for feeds in drawn for value in feeds["ids"].flat} <= {10, 11}
    assert {bool(feeds["flag"]) for feeds in drawn} == {True, False}
    again, other = (
        numerics.feeds(model, 5, {"ids": [10, 12]}),
        numerics.feeds(model, 6, {"ids": [10, 12]}),
    )
    assert all(
        np.array_equal(first["x"], second["x"]) for first, second in zip(drawn, again, strict=True)
    )
    assert not any(
        np.array_equal(first["x"], second["x"]) for first, second in zip(drawn, other, strict=True)
    )


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        ([], "count"),
        ([np.zeros((2, 3), np.float32)], "shape"),
        ([np.ones((1, 1), np.float32)], "shape"),
        ([np.array([[1, 2, 3, 4]], np.float32)], "shape"),
        ([np.array([[1, 2], [3, 4]], np.float64)], "dtype"),
        ([np.array([[1, 2], [3, np.nan]], np.float32)], "finite"),
        ([np.array([[1, 2], [3, 4.001]], np.float32)], "value"),
        ([["not", "an array"]], "dtype"),
    ],
)
def test_form_comes_before_values(found, kind):
    expected = [np.array([[1, 2], [3, 4]], np.float32)]
    assert numerics.compare(expected, expected, ["y"], 1e-6) is None
    assert numerics.compare(expected, found, ["y"], 1e-6).kind == kind


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_nothing_agrees_with_numbers_that_are_not_finite(odd):
    expected, found = [np.array([1, odd], np.float32)], [np.array([1, 2], np.float32)]
    assert numerics.compare(expected, found, ["y"], 1e-6).kind == "value"


def test_errors_are_relative():
    small = np.full((3, 3), 1e-3, np.float32)
    assert numerics.compare([small], [np.zeros_like(small)], ["y"], 1e-2).error == pytest.approx(1)
    large = np.full((3, 3), 1e6, np.float32)
    assert numerics.compare([large], [large + 1], ["y"], 1e-5) is None
    assert (
        numerics.compare([np.array([True, False])], [np.array([True, True])], ["y"], 1.0).kind
        == "value"
    )


def test_a_loop_without_end_is_stopped(monkeypatch):
    monkeypatch.setattr(numerics, "RUN_SECONDS", 0.2)
    model = model_of("""
        g (float[N] x, int64 trips, bool keep) => (float[N] y) {
            y = Loop (trips, keep, x) <
                body = body (int64 i, bool c, float[N] v) => (bool c2, float[N] v2) { c2 = Identity(c) v2 = Neg(v) }
            >
        }""")
    feeds = {"x": np.ones(2, np.float32), "trips": np.array(2**62), "keep": np.array(True)}
    with pytest.raises(numerics.TooExpensive, match="still ran"):
        numerics.run(to_bytes(model), [feeds])
    assert numerics.run(to_bytes(model), [{**feeds, "trips": np.array(3)}])[0][0][0].tolist() == [
        -1,
        -1,
    ]


def test_a_run_that_gets_no_processor_is_waited_for(monkeypatch):
    monkeypatch.setattr(numerics, "RUN_SECONDS", 0.01)
    monkeypatch.setattr(numerics.time, "process_time", lambda: 0.0)
    model = model_of("""
        g (float[N] x, int64 trips, bool keep) => (float[N] y) {
            y = Loop (trips, keep, x) <
                body = body (int64 i, bool c, float[N] v) => (bool c2, float[N] v2) { c2 = Identity(c) v2 = Neg(v) }
            >
        }""")
    feeds = {"x": np.ones(2, np.float32), "trips": np.array(200_000), "keep": np.array(True)}
    assert numerics.run(to_bytes(model), [feeds])[0][0][0].tolist() == [1, 1]


def test_packing_outputs_loses_nothing():
    outputs = [[np.arange(3), np.float32([[1]])], [np.arange(4), np.float32([[2]])]]
    for packed, given in zip(numerics.unpack(numerics.pack(outputs)), outputs, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(packed, given, strict=True))
