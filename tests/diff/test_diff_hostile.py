"""Files that were made to hurt end in one line and status 2, or are shown as the text that they are."""

import os
import struct
import time

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from typer.testing import CliRunner

import formatlab
from formatlab.cli import app
from formatlab.diff import wire
from formatlab.models import make_model
from tests.diff.diff_edits import copy, drawn

RUNNER = CliRunner()


def ran(*arguments):
    return RUNNER.invoke(app, ["diff", *map(str, arguments)])


def refused(path, other, *words):
    done = ran(path, other)
    assert done.exit_code == 2, done.output
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("course: ")
    for word in words:
        assert word in done.stderr, done.stderr
    assert not done.stdout
    return done.stderr


@pytest.fixture
def sound(tmp_path):
    path = tmp_path / "sound.onnx"
    path.write_bytes(drawn(0).SerializeToString())
    return path


def tag(number, form):
    return bytes([number << 3 | form])


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, data):
    return tag(number, 2) + varint(len(data)) + data


def test_files_that_are_no_models(sound, tmp_path):
    data = sound.read_bytes()
    broken = tmp_path / "broken.onnx"
    for content, word in (
        (b"", "is empty"),
        (data[: len(data) // 2], "cut off"),
        (data[:-1], "cut off"),
        (b"\x00" * 100, ""),
        (b"PK\x03\x04" + bytes(60), "zip archive"),
        (struct.pack("<Q", 20) + b'{"a": 1}' + bytes(40), "SafeTensors"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS"),
        (np.random.default_rng(0).bytes(5000), ""),
    ):
        broken.write_bytes(content)
        refused(broken, sound, word)
        refused(sound, broken, word)


def test_paths_that_are_no_files(sound, tmp_path):
    refused(tmp_path / "missing.onnx", sound, "is not there")
    refused(tmp_path, sound, "is a folder")


def test_every_cut_of_a_file_is_refused_or_compared(sound, tmp_path):
    """Protocol Buffers reads a file that was cut between two fields; nothing else may happen."""
    data = sound.read_bytes()
    cut = tmp_path / "cut.onnx"
    for end in range(0, len(data), max(1, len(data) // 60)):
        cut.write_bytes(data[:end])
        done = ran(cut, sound, "--inputs", "0")
        assert done.exit_code in (1, 2)
        assert done.exit_code == 1 or len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("seed", range(40))
def test_a_changed_byte_does_no_harm(seed, sound, tmp_path):
    data = bytearray(sound.read_bytes())
    rng = np.random.default_rng(seed)
    for at in rng.integers(0, len(data), 3):
        data[at] = rng.integers(256)
    other = tmp_path / "other.onnx"
    other.write_bytes(bytes(data))
    done = ran(other, sound, "--inputs", "0")
    assert done.exit_code in (0, 1, 2)
    assert "Traceback" not in done.output


def test_a_bomb_of_empty_nodes_is_refused_before_it_is_parsed(sound, tmp_path, monkeypatch):
    monkeypatch.setattr(wire, "MAX_FIELDS", 20_000)
    bomb = tmp_path / "bomb.onnx"
    bomb.write_bytes(field(7, field(1, b"") * (wire.MAX_FIELDS + 1)))
    refused(bomb, sound, "far more than any model")


def test_graphs_that_are_nested_deeper_than_anybody_reads(sound, tmp_path):
    graph = field(1, field(4, b"Relu"))
    for _ in range(60):
        graph = field(1, field(5, field(1, b"g") + field(6, graph) + tag(20, 0)[:1] + b""))[:]
    deep = tmp_path / "deep.onnx"
    deep.write_bytes(field(7, graph))
    refused(deep, sound)


def test_a_circle_of_nodes_is_compared(sound, tmp_path):
    nodes = [helper.make_node("Add", ["a", "x"], ["b"]), helper.make_node("Neg", ["b"], ["a"])]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    y = helper.make_tensor_value_info("b", TensorProto.FLOAT, [2])
    circle = tmp_path / "circle.onnx"
    circle.write_bytes(make_model(helper.make_graph(nodes, "g", [x], [y])).SerializeToString())
    assert ran(circle, circle).exit_code == 0
    done = ran(sound, circle)
    assert done.exit_code == 1
    assert "not sorted" in done.stdout


def test_functions_that_call_one_another_in_a_circle():
    call = [helper.make_node("F", ["x"], ["y"], domain="own")]
    body = [helper.make_node("G", ["a"], ["b"], domain="own")]
    back = [helper.make_node("F", ["a"], ["b"], domain="own")]
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    functions = [
        helper.make_function("own", name, ["a"], ["b"], nodes, imports)
        for name, nodes in (("F", body), ("G", back))
    ]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    model = make_model(
        helper.make_graph(call, "g", [x], [y]), domains={"own": 1}, functions=functions
    )
    assert formatlab.diff(model, copy(model)).is_same


def test_functions_that_double_at_every_level_take_no_time():
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    functions = []
    for level in range(60):
        below = "Neg" if level == 59 else f"F{level + 1}"
        domain = "" if level == 59 else "own"
        nodes = [
            helper.make_node(below, ["a"], ["m"], domain=domain),
            helper.make_node(below, ["m"], ["b"], domain=domain),
        ]
        functions.append(helper.make_function("own", f"F{level}", ["a"], ["b"], nodes, imports))
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    call = [helper.make_node("F0", ["x"], ["y"], domain="own")]
    model = make_model(
        helper.make_graph(call, "g", [x], [y]), domains={"own": 1}, functions=functions
    )
    other = copy(model)
    other.functions[59].node[1].op_type = "Abs"
    began = time.process_time()
    assert [each.kind for each in formatlab.diff(model, other, inputs=0).changes] == ["replaced"]
    assert time.process_time() - began < 60  # 2**60 calls would take for ever


@pytest.mark.parametrize("dims", [[1 << 40, 1 << 40], [-1], [5], [1] * 200, [1 << 62]])
def test_shapes_that_do_not_describe_their_data(dims, sound, tmp_path):
    model = drawn(0)
    tensor = model.graph.initializer[0]
    tensor.ClearField("dims")
    tensor.dims.extend(dims)
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(model.SerializeToString())
    refused(broken, sound, "the weight")


def test_a_weight_of_an_unknown_type(sound, tmp_path):
    model = drawn(0)
    model.graph.initializer[0].data_type = 999
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(model.SerializeToString())
    refused(broken, sound, "unknown type 999")


def outside(model, location, **entries):
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=str(value))
    return model


OUTSIDE = "points outside of the model's folder"
WINDOWS = "a path of Windows"


@pytest.mark.parametrize(
    ("location", "words"),
    [
        *[(each, OUTSIDE) for each in ("/etc/passwd", "../secret", "a/../../secret", ".", "a\0b")],
        *[(each, WINDOWS) for each in ("..\\secret", "C:\\secret")],
        ("", "the model does not say in which"),
    ],
)
def test_no_file_outside_of_the_folder_is_read(location, words, sound, tmp_path):
    (tmp_path.parent / "secret").write_bytes(bytes(4096))
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(outside(drawn(0), location).SerializeToString())
    refused(broken, sound, words)


def test_no_link_out_of_the_folder_is_followed(sound, tmp_path):
    (tmp_path.parent / "secret").write_bytes(bytes(4096))
    os.symlink(tmp_path.parent / "secret", tmp_path / "weights.bin")
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(outside(drawn(0), "weights.bin").SerializeToString())
    refused(broken, sound, "behind a link")


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("pipe", "which is no regular file"),
        ("circle", "which cannot be read"),
        ("x" * 5000, "which cannot be read"),
    ],
)
def test_what_is_no_file_of_weights_is_told_as_what_it_is(location, words, sound, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    os.symlink("circle", tmp_path / "circle")
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(outside(drawn(0), location).SerializeToString())
    refused(broken, sound, words)


@pytest.mark.parametrize("entry", ["-5", "1e9", "9" * 30, "٣"])
def test_places_in_a_file_that_are_no_numbers(entry, sound, tmp_path):
    (tmp_path / "weights.bin").write_bytes(bytes(4096))
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(outside(drawn(0), "weights.bin", offset=entry).SerializeToString())
    refused(broken, sound, "no number of bytes")


NAME = '<img src=x onerror=alert(1)>`[red]\x1b[31m\n"&\u202e'


def test_names_are_text_in_a_terminal_and_on_a_page(tmp_path):
    model = drawn(0)
    other = copy(model)
    other.graph.node[0].name = NAME
    other.graph.node[0].op_type = NAME
    other.metadata_props.add(key=NAME, value=NAME)
    other.graph.output[0].name = NAME
    other.graph.node[-1].output[0] = NAME
    for name, each in (("a", model), ("b", other)):
        (tmp_path / f"{name}.onnx").write_bytes(each.SerializeToString())
    page = tmp_path / "page.html"
    done = ran(tmp_path / "a.onnx", tmp_path / "b.onnx", "--html", page, "--inputs", "0", "-v")
    assert done.exit_code == 1
    assert "[red]" in done.stdout
    for each in ("\x1b", "\u202e"):
        assert each not in done.stdout
    text = page.read_text()
    assert "<img" not in text
    assert "&lt;img" in text
    assert "\x1b" not in text
    assert "<script" not in text


def test_a_model_that_fills_the_memory_ends_its_own_process_alone(tmp_path):
    """ConstantOfShape of 10**12 numbers, on the way to a small output."""
    size = numpy_helper.from_array(np.array([10**12]), "size")
    nodes = [
        helper.make_node("ConstantOfShape", ["size"], ["huge"]),
        helper.make_node("ReduceSum", ["huge"], ["total"], keepdims=0),
        helper.make_node("Add", ["x", "total"], ["y"]),
    ]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    model = make_model(helper.make_graph(nodes, "g", [x], [y], [size]))
    other = copy(model)
    other.graph.node[2].op_type = "Sub"
    found = formatlab.diff(model, other)
    assert found.agreement.verdict == "not run"
    assert [each.kind.value for each in found.changes] == ["replaced"]


def test_a_model_without_a_graph(sound, tmp_path):
    empty = tmp_path / "empty.onnx"
    empty.write_bytes(ModelProto(ir_version=8).SerializeToString())
    refused(empty, sound, "has no graph")


def test_many_sparse_weights_do_not_fill_the_memory(sound, tmp_path):
    model = drawn(0)
    for number in range(3):
        values = numpy_helper.from_array(np.float32([1]), f"sparse{number}")
        indices = numpy_helper.from_array(np.int64([0]), "")
        sparse = helper.make_sparse_tensor(values, indices, [30 << 20])
        model.graph.sparse_initializer.append(sparse)
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(model.SerializeToString())
    refused(broken, sound, "64 million numbers at most in all")
