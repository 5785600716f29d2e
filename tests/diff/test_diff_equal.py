"""Two models are the same if what they store is equal bit by bit, and finding that out is bounded."""

import time

import numpy as np
import pytest
from onnx import AttributeProto, ModelProto, TensorProto, helper, numpy_helper, parser

import formatlab
from formatlab.diff import matching
from formatlab.models import make_model

HEAD = '<ir_version: 10, opset_import: ["" : 20, "my" : 1, "ai.onnx.ml" : 4]>\n'


def parsed(text):
    return parser.parse_model(HEAD + text)


def leaky(**attribute):
    model = parsed("g (float[2] x) => (float[2] y) { y = LeakyRelu(x) }")
    [(name, value)] = attribute.items()
    model.graph.node[0].attribute.append(helper.make_attribute(name, value))
    return model


def twice(first, second):
    model = leaky(alpha=first)
    model.graph.node[0].attribute.append(helper.make_attribute("alpha", second))
    return model


def labels(disturbed=False):
    """A tensor attribute of more than 1 MiB, whose samples are equal."""
    model = parsed("g (int64[n] x) => (float[n] y) { y = ai.onnx.ml.LabelEncoder(x) }")
    values = np.arange(300_000, dtype=np.float32)
    values[150_000] += disturbed
    keys = numpy_helper.from_array(np.arange(300_000), "k")
    for name, tensor in (("keys_tensor", keys), ("values_tensor", numpy_helper.from_array(values))):
        model.graph.node[0].attribute.append(helper.make_attribute(name, tensor))
    return model


def function(name="f", disturbed=False):
    values = np.zeros(300_000, np.float32)
    values[150_000] = disturbed
    model = parsed(
        f"""g (float[300000] x) => (float[300000] y) {{ y = my.{name}(x) }}
        <domain: "my", opset_import: ["" : 20]> {name} (x) => (y) {{ c = Constant() y = Add(x, c) }}"""
    )
    value = helper.make_attribute("value", numpy_helper.from_array(values, ""))
    model.functions[0].node[0].attribute.append(value)
    return model


def constant(kind):
    """A Constant whose attribute `value_float` stores 0 as a float, or as an integer."""
    model = parsed("g (float[2] x) => (float[2] y) { c = Constant() y = Add(x, c) }")
    attribute = model.graph.node[0].attribute.add(name="value_float", type=kind)
    attribute.f = 0.0
    return model


def add(text=""):
    return parsed(f"g (float[2] x) => (float[2] y) {{ y = Add(x, w) {text} }}")


def weights(*values, name="w"):
    """The same weight several times; every reader takes the first."""
    model = add()
    tensors = [numpy_helper.from_array(np.float32([each, 0]), name) for each in values]
    model.graph.initializer.extend(
        [numpy_helper.from_array(np.float32([5, 5]), "w"), *tensors] if name != "w" else tensors
    )
    return model


def imports(*versions):
    model = leaky(alpha=0.5)
    del model.opset_import[:]
    model.opset_import.extend(helper.make_opsetid("", version) for version in versions)
    return model


def notes(*values):
    model = leaky(alpha=0.5)
    for value in values:
        model.metadata_props.add(key="author", value=value)
    return model


def functions(*operators):
    model = parsed("g (float[2] x) => (float[2] y) { y = my.f(x) }")
    for operator in operators:
        nodes = [helper.make_node(operator, ["a"], ["b"])]
        body = helper.make_function("my", "f", ["a"], ["b"], nodes, [helper.make_opsetid("", 20)])
        model.functions.append(body)
    return model


def inputs(*types):
    model = leaky(alpha=0.5)
    del model.graph.input[:]
    model.graph.input.extend(helper.make_tensor_value_info("x", kind, [2]) for kind in types)
    return model


FLOAT, HALF, LONG = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT64
NAN = float(np.array([0x7FC00001], np.uint32).view(np.float32)[0])


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (leaky(alpha=1.0), leaky(alpha=1), "was 1 (a float) and is 1 (an integer)"),
        (leaky(alpha=0.0), leaky(alpha=-0.0), "was 0 and is -0"),
        (leaky(alpha=0.1), leaky(alpha=float(np.nextafter(np.float32(0.1), 1))), "0.1"),
        (leaky(alpha=float("nan")), leaky(alpha=NAN), "alpha"),
        (leaky(alpha=[1.0, 2.0]), leaky(alpha=[1, 2]), "(floats) and is [1, 2] (ints)"),
        (twice(0.1, 0.3), twice(0.2, 0.3), "twice [0.1, 0.3] and is twice [0.2, 0.3]"),
        (labels(), labels(True), "1 of its 300000 numbers changed"),
        (function(), function(disturbed=True), "In the function `my::f`"),
        (function(), function("g", disturbed=True), "was removed"),
        (constant(AttributeProto.FLOAT), constant(AttributeProto.INT), "Constant"),
        (weights(1, 2), weights(1, 3), "`w`"),
        (weights(1), weights(1, 1), "`w`"),
        (weights(1, name="v"), weights(1, 1, name="v"), "`v`"),
        (imports(21, 20), imports(20, 20), "imported 2 times, with the opsets 20 and 20"),
        (notes("a", "b"), notes("c", "b"), "the metadata `author`"),
        (notes(), notes(""), "is new, and empty"),
        (functions("Relu", "Relu"), functions("Neg", "Relu"), "became Neg"),
        (functions("Relu", "Relu"), functions("Relu", "Neg"), "(definition 2)"),
        (inputs(FLOAT, FLOAT), inputs(HALF, FLOAT), "was FLOAT[2] and is FLOAT16[2]"),
    ],
    ids=lambda each: "",
)
def test_what_is_stored_in_another_way_is_a_difference(a, b, words):
    assert formatlab.diff(a, ModelProto.FromString(a.SerializeToString()), inputs=0).is_same
    found = formatlab.diff(a, b, inputs=0)
    assert not found.is_same
    assert words.lower() in found.text.lower(), found.text


def test_a_renamed_function_is_the_same_one():
    """The control of the one that is renamed and changed."""
    assert formatlab.diff(function(), function("g"), inputs=0).is_same


@pytest.mark.parametrize("location", ["w.bin", "./sub/../w.bin"])
def test_a_tensor_of_an_attribute_is_read_where_it_lies(location, tmp_path):
    paths = []
    for name, value in (("a", 1), ("b", 7), ("c", 1)):
        folder = tmp_path / name
        (folder / "sub").mkdir(parents=True)
        (folder / "w.bin").write_bytes(np.float32([value]).tobytes())
        model = parsed("g (int64[1] x) => (float[N] y) { y = ConstantOfShape(x) }")
        tensor = TensorProto(data_type=FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value=location)
        model.graph.node[0].attribute.append(helper.make_attribute("value", tensor))
        paths.append(folder / "m.onnx")
        paths[-1].write_bytes(model.SerializeToString())
    a, b, c = paths
    assert "was [1] and is [7]" in formatlab.diff(a, b, inputs=0).text
    assert formatlab.diff(a, c, inputs=0).is_same


def chain(length, first, last):
    """Equal nodes, with one in the middle that has a weight."""
    nodes = [helper.make_node(first, ["x"], ["v0"])]
    for at in range(length):
        reads = [f"v{at}", "w"] if at == length // 2 else [f"v{at}"]
        operator = "Add" if len(reads) > 1 else "Relu"
        nodes.append(helper.make_node(operator, reads, [f"v{at + 1}"]))
    nodes.append(helper.make_node(last, [f"v{length}"], ["y"]))
    x, y = (helper.make_tensor_value_info(name, FLOAT, [4]) for name in "xy")
    weight = numpy_helper.from_array(np.arange(4, dtype=np.float32), "w")
    return make_model(helper.make_graph(nodes, "g", [x], [y], [weight]))


def test_a_long_chain_is_paired_from_its_middle(monkeypatch):
    """By what is beside each pair, not with all nodes looked at for each pair again."""
    looked = []
    known = matching.Matcher._groups
    monkeypatch.setattr(
        matching.Matcher, "_groups", lambda self, *a: looked.append(len(a)) or known(self, *a)
    )
    found = formatlab.diff(chain(400, "Exp", "Sin"), chain(400, "Neg", "Cos"), inputs=0)
    assert [each.kind.value for each in found.changes] == ["replaced", "replaced"]
    assert found.counts == (402, 402, 400)
    assert looked.count(2) < 200  # whole passes, where 400 were needed


def test_with_too_much_work_the_rest_is_paired_in_order_and_that_is_said(monkeypatch):
    monkeypatch.setattr(matching, "MAX_WORK", 1000)
    monkeypatch.setattr(matching, "MAX_WORK_OF_A_NODE", 0)
    found = formatlab.diff(chain(400, "Exp", "Sin"), chain(400, "Neg", "Cos"), inputs=0)
    assert len(found.changes) == 2
    assert "was paired in its order" in found.text


def test_functions_that_stand_for_billions_of_nodes_are_not_run():
    def doubling(operator):
        bodies = [
            f"""<domain: "my", opset_import: ["" : 20, "my" : 1]>
            f{at} (x) => (y) {{ a = my.f{at + 1}(x) y = my.f{at + 1}(a) }}"""
            for at in range(40)
        ]
        last = f'<domain: "my", opset_import: ["" : 20]> f40 (x) => (y) {{ y = {operator}(x) }}'
        return parsed(
            "g (float[2] x) => (float[2] y) { y = my.f0(x) } " + " ".join([*bodies, last])
        )

    found = formatlab.diff(doubling("Relu"), doubling("Neg"))
    assert found.agreement.verdict == "not run"
    assert "stand for 3e+12 nodes" in found.agreement.text


def test_holes_in_a_file_are_not_read(tmp_path):
    """A terabyte of zeros that takes no room on the disk, in one file with one number in it."""
    paths = []
    for name, value in (("a", 0), ("b", 1)):
        folder = tmp_path / name
        folder.mkdir()
        with (folder / "w.bin").open("wb") as file:
            file.truncate(1 << 40)
            if value:
                file.seek((1 << 40) - 400)
                file.write(np.float32([value]).tobytes())
        model = parsed("g (float[4] x) => (float[4] y) { g = Gather(w, i) y = Add(x, g) }")
        weight = TensorProto(name="w", data_type=FLOAT, dims=[1 << 38])
        weight.data_location = TensorProto.EXTERNAL
        weight.external_data.add(key="location", value="w.bin")
        model.graph.initializer.extend([weight, helper.make_tensor("i", LONG, [], [0])])
        paths.append(folder / "m.onnx")
        paths[-1].write_bytes(model.SerializeToString())
    began = time.process_time()
    found = formatlab.diff(*paths, inputs=0)
    assert f"1 of its {1 << 38} numbers changed" in found.text
    assert time.process_time() - began < 60  # a terabyte would take many minutes
