"""No part of a model changes unseen: each field is changed in turn, in models that hold what an
exporter rarely writes. What does not count is named here, and nothing else is silent.
"""

import numpy as np
import onnx
import pytest
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import given
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser

import formatlab
from formatlab.diff.changes import Kind

HEAD = '<ir_version: 10, opset_import: ["" : 20, "my" : 1]>\n'


def parsed(text: str) -> ModelProto:
    return parser.parse_model(HEAD + text)


def sparse(name: str, values, indices, dims) -> onnx.SparseTensorProto:
    return helper.make_sparse_tensor(
        numpy_helper.from_array(np.asarray(values), name),
        numpy_helper.from_array(np.int64(indices), ""),
        dims,
    )


def with_sparse_weight(values=(1, 2, 3), indices=(0, 5, 10)) -> ModelProto:
    model = parsed("g (float[N, 4] x) => (float[N, 3] y) { y = MatMul(x, w) }")
    model.graph.sparse_initializer.append(sparse("w", np.float32(values), indices, [4, 3]))
    return model


def with_sparse_constant(values=(1, 2, 3)) -> ModelProto:
    model = parsed("g (float[N, 4] x) => (float[N, 3] y) { w = Constant() y = MatMul(x, w) }")
    value = sparse("", np.float32(values), [0, 5, 10], [4, 3])
    model.graph.node[0].attribute.append(helper.make_attribute("sparse_value", value))
    return model


def with_sparse_weight_in_a_branch() -> ModelProto:
    model = parsed("""g (bool c, float[N, 4] x) => (float[N, 3] y) {
        y = If(c) <then_branch = t () => (float[N, 3] a) { a = MatMul(x, w) },
                   else_branch = e () => (float[N, 3] b) { v = Neg(w) b = MatMul(x, v) }> }""")
    for attribute in model.graph.node[0].attribute:
        weight = sparse("w", np.float32([1, 2, 3]), [0, 5, 10], [4, 3])
        attribute.g.sparse_initializer.append(weight)
    return model


def with_overloads(first: str = "", second: str = "two") -> ModelProto:
    model = parsed("""g (float[N] x) => (float[N] y) { a = my.f(x) y = my.f(a) }
        <domain: "my", opset_import: ["" : 20]> f (x) => (y) { y = Relu(x) }""")
    other = model.functions.add()
    other.CopyFrom(model.functions[0])
    other.overload = "two"
    other.node[0].op_type = "Neg"
    for node, overload in zip(model.graph.node, (first, second), strict=True):
        node.overload = overload
    return model


def with_function(default: float = 2, opset: int = 20, needs: str = "scale") -> ModelProto:
    model = parsed(f"""g (float[N, 4] x) => (float[N, 4] y) {{ y = my.f <scale = 3.0> (x) }}
        <domain: "my", opset_import: ["" : {opset}]> f <scale> (x) => (y) {{
            a = Constant <value_float : float = @scale> ()
            b = Constant <value_float : float = @more> ()
            c = Softmax <axis = 1> (x) d = Mul(c, a) y = Add(d, b) }}""")
    model.functions[0].attribute[:] = [needs]
    model.functions[0].attribute_proto.append(helper.make_attribute("more", float(default)))
    return model


def with_a_map(key: int = TensorProto.STRING) -> ModelProto:
    model = parsed("g (float[N, 2] x) => (float[N] y) { y = ai.onnx.ml.ZipMap(x) }")
    inside = helper.make_map_type_proto(key, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    model.graph.output[0].type.CopyFrom(helper.make_sequence_type_proto(inside))
    return model


def with_training() -> ModelProto:
    model = parsed("g (float[N] x) => (float[N] y) { y = Relu(x) }")
    information = model.training_info.add()
    information.algorithm.node.append(helper.make_node("Neg", ["y"], ["loss"]))
    return model


def with_a_default() -> ModelProto:
    model = parsed("g (float[N, 2] x, float[2] w) => (float[N, 2] y) { y = Mul(x, w) }")
    model.graph.initializer.append(numpy_helper.from_array(np.float32([1, 2]), "w"))
    return model


MODELS = (
    *(with_sparse_weight, with_sparse_constant, with_sparse_weight_in_a_branch, with_overloads),
    *(with_function, with_a_map, with_training, with_a_default),
)
# By the end of the path: names inside, which renaming changes; and the name of a sparse tensor's
# indices, which nothing reads.
NAMES = ("graph.name", "g.name", "indices.name", "t.name", "dim.dim_param", "values.name")
# The kind of an attribute stands in the field that holds it, too.
SAID_TWICE = ("attribute.type",)


def leaves(message, path=()):
    """Every field that holds a value: where it is, and its place if it is one of several."""
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        for at, each in enumerate(values):
            here = (*path, (field, at if field.is_repeated else None))
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                yield from leaves(each, here)
            else:
                yield here


def changed(model: ModelProto, path) -> ModelProto:
    other = ModelProto.FromString(model.SerializeToString())
    message = other
    for field, at in path[:-1]:
        held = getattr(message, field.name)
        message = held if at is None else held[at]
    field, at = path[-1]
    held = getattr(message, field.name)
    new = another(held if at is None else held[at])
    if at is None:
        setattr(message, field.name, new)
    else:
        held[at] = new
    return other


def another(value):
    if isinstance(value, str):
        return value + "_"
    return bytes([value[0] ^ 1, *value[1:]]) if isinstance(value, bytes) and value else value + 1


def is_silent(path) -> bool:
    *_, last = [".".join(field.name for field, _ in path[start:]) for start in (0, -2)]
    return last in (*NAMES, *SAID_TWICE)


@pytest.mark.parametrize("made", MODELS, ids=lambda made: made.__name__)
def test_no_field_changes_unseen(made):
    model = made()
    assert formatlab.diff(model, model, inputs=0).is_same
    for path in leaves(model):
        if is_silent(path):
            continue
        try:
            found = formatlab.diff(model, changed(model, path), inputs=0)
        except formatlab.diff.CannotDiff:
            continue
        assert not found.is_same, ".".join(field.name for field, _ in path)


@pytest.mark.parametrize(
    ("before", "after", "kind", "words"),
    [
        (with_sparse_weight(), with_sparse_weight([1, 2, 4]), Kind.VALUES, "weight `w`"),
        (with_sparse_constant(), with_sparse_constant([1, 2, 4]), Kind.VALUES, "weight `w`"),
        (with_overloads(), with_overloads(second=""), Kind.REPLACED, "became my::f"),
        (with_function(), with_function(default=3), Kind.ATTRIBUTE, "was 2 and is 3"),
        (with_function(), with_function(needs="other"), Kind.ATTRIBUTE, "needs were `scale`"),
        (with_function(opset=12), with_function(opset=13), Kind.OPSET, "was 12 and is 13"),
        (with_a_map(), with_a_map(TensorProto.INT64), Kind.RETYPED, "map of INT64 to FLOAT"),
    ],
)
def test_what_changed_is_named(before, after, kind, words):
    found = formatlab.diff(before, after, inputs=0)
    assert [each.kind for each in found.changes] == [kind], found.text
    assert words in found.text


def test_two_overloads_that_change_places_are_no_renaming():
    """Relu and then Neg, against Neg and then Relu."""
    assert not formatlab.diff(with_overloads(), with_overloads("two", ""), inputs=0).is_same


def test_a_call_that_finds_its_function_no_more_is_named():
    model = with_function()
    renamed = with_function()
    renamed.functions[0].name = "g"
    found = formatlab.diff(model, renamed, inputs=0)
    assert "calls `my::f`, which was a function of the model and is none any more" in found.text
    renamed.graph.node[0].op_type = "g"
    assert formatlab.diff(model, renamed, inputs=0).is_same


def test_the_default_of_a_function_is_run_in_float64_too():
    """onnx's inliner drops what a call leaves out."""
    found = formatlab.diff(with_function(), with_function(default=3), inputs=1)
    assert found.agreement.verdict == "other", found.text


def test_weights_that_onnx_does_not_follow_are_said_in_a_line(tmp_path):
    """onnx follows no link, which is how a cache of downloads stores files; the diff does."""
    model = parsed("g (float[2] x) => (float[2] y) { y = Mul(x, w) }")
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2])
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="w.bin")
    model.graph.initializer.append(weight)
    (tmp_path / "blob").write_bytes(np.float32([1, 2]).tobytes())
    (tmp_path / "w.bin").symlink_to("blob")
    paths = [tmp_path / "a.onnx", tmp_path / "b.onnx"]
    for path, operator in zip(paths, ("Mul", "Div"), strict=True):
        model.graph.node[0].op_type = operator
        path.write_bytes(model.SerializeToString())
    found = formatlab.diff(*paths, inputs=1)
    assert found.agreement.verdict == "not run"
    assert "onnx does not load the two with their weights" in found.agreement.text
    assert "/onnx/" not in found.agreement.text and "\n" not in found.agreement.text


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("sub\\w.bin", "a path of Windows"),
        ("", "does not say in which"),
        ("sub", "is a folder"),
        ("../w.bin", "points outside"),
        ("other.bin", "is not beside the model"),
    ],
)
def test_a_location_that_cannot_be_followed_is_called_what_it_is(location, words, tmp_path):
    model = parsed("g (float[2] x) => (float[2] y) { y = Mul(x, w) }")
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2])
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value=location)
    model.graph.initializer.append(weight)
    (tmp_path / "sub").mkdir()
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(formatlab.diff.CannotDiff, match=words):
        formatlab.diff(path, path)


def test_a_default_that_a_call_writes_out_is_no_change():
    model = with_function()
    written = with_function()
    written.graph.node[0].attribute.append(helper.make_attribute("more", 2.0))
    assert formatlab.diff(model, written, inputs=0).is_same


@given(data=st.data())
def test_a_sparse_weight_is_the_tensor_that_it_stands_for(data):
    places = data.draw(st.lists(st.integers(0, 11), unique=True))
    values = data.draw(
        st.lists(st.integers(-9, 9), min_size=len(places), max_size=len(places)).map(np.float32)
    )
    by_axis = data.draw(st.booleans(), label="one index for each axis")
    indices = np.array(np.unravel_index(np.int64(places), (4, 3)), np.int64).T.reshape(-1, 2)
    before = with_sparse_weight(values, indices if by_axis else places)
    after = with_sparse_weight()
    del after.graph.sparse_initializer[:]
    numbers = np.zeros(12, np.float32)
    numbers[places] = values
    after.graph.initializer.append(numpy_helper.from_array(numbers.reshape(4, 3), "w"))
    found = formatlab.diff(before, after, inputs=0)
    assert [each.kind for each in found.changes] == [Kind.STORED], found.text
    assert "from a sparse initializer to an initializer" in found.text


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda weight: weight.dims.__setitem__(0, 1 << 40), "million numbers at most"),
        (lambda weight: weight.dims.__setitem__(0, 2), "outside of its shape"),
        (lambda weight: weight.indices.dims.__setitem__(0, 2), "bytes"),
        (lambda weight: weight.ClearField("indices"), "unknown type"),
        (
            lambda weight: weight.values.CopyFrom(
                helper.make_tensor("w", TensorProto.STRING, [3], [b"a", b"b", b"c"])
            ),
            "holds strings",
        ),
    ],
)
def test_a_sparse_weight_that_stands_for_nothing_is_refused(edit, words):
    model = with_sparse_weight()
    edit(model.graph.sparse_initializer[0])
    with pytest.raises(formatlab.diff.CannotDiff, match=words):
        formatlab.diff(model, model, inputs=0)


def strings(*values: bytes) -> ModelProto:
    model = parsed("g (int64[N] i) => (string[N] y) { y = Gather(a, i) }")
    model.graph.initializer.append(
        helper.make_tensor("a", TensorProto.STRING, [len(values)], values)
    )
    return model


def test_strings_are_bytes_and_need_not_be_text():
    latin = strings(b"caf\xe9", b"")
    assert formatlab.diff(latin, latin, inputs=0).is_same
    assert not formatlab.diff(latin, strings(b"caf\xe8", b""), inputs=0).is_same
    # The same bytes in a row, parted elsewhere.
    assert not formatlab.diff(strings(b"a\0", b"b"), strings(b"a", b"\0b"), inputs=0).is_same


def test_numbers_in_the_list_of_another_type_are_refused():
    model = parsed("g (float[2] x) => (float[2] y) { y = Add(x, w) }")
    weight = TensorProto(name="w", data_type=TensorProto.DOUBLE, dims=[2], float_data=[1, 2])
    model.graph.initializer.append(weight)
    with pytest.raises(formatlab.diff.CannotDiff, match="needs 16 bytes and has 0"):
        formatlab.diff(model, model, inputs=0)


def repeated(message, path=()):
    """The places of every message in a list, at any depth."""
    for field, value in message.ListFields():
        if field.type != FieldDescriptor.TYPE_MESSAGE:
            continue
        if not field.is_repeated:
            yield from repeated(value, (*path, (field.name, None)))
            continue
        for at, each in enumerate(value):
            yield (*path, (field.name, at))
            yield from repeated(each, (*path, (field.name, at)))


# A second declaration of an inner value, and what is said of a value for quantization.
DECLARED = {"value_info", "quantization_annotation"}


@pytest.mark.parametrize("made", MODELS, ids=lambda made: made.__name__)
def test_nothing_stands_twice_unseen(made):
    for *path, (last, at) in repeated(made()):
        names = {name for name, _ in path} | {last}
        if names & DECLARED:
            continue
        model = made()
        message = model
        for name, place in path:
            message = getattr(message, name) if place is None else getattr(message, name)[place]
        elements = getattr(message, last)
        elements.add().CopyFrom(elements[at])
        try:
            found = formatlab.diff(made(), model, inputs=0)
        except formatlab.diff.CannotDiff:
            continue
        assert not found.is_same, (path, last)
