"""`course bench`, as one types it, on small models; what needs a GPU is tried on the CPU where the
code is the same.
"""

import io
import json
import os
import re
import threading
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, parser
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static
from typer.testing import CliRunner

from formatlab import measure
from formatlab.measure import (
    against,
    bench,
    command,
    feeds,
    kernels,
    kinds,
    precisions,
    quality,
    sessions,
    streams,
)
from formatlab.measure.errors import CannotBench
from formatlab.models import fixtures, make_model
from nbjudge.cli import app

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def digits(tmp_path):
    path = tmp_path / "digits.onnx"
    path.write_bytes(fixtures.read("digits-cnn"))
    return path


@pytest.fixture
def bert(tmp_path):
    path = tmp_path / "bert.onnx"
    path.write_bytes(fixtures.read("bert"))
    return path


def course(*words):
    """`course bench …`: exit code, standard output, standard error in one line. A traceback would
    be another exception.

    Without a warm-up, because no time is judged here.
    """
    result = CliRunner().invoke(app, ["bench", "--warmup=0", *map(str, words)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, " ".join(result.stderr.split())


def model_of(text, path):
    onnx.save(make_model(parser.parse_graph(text)), path)
    return path


def test_precisions_in_turn_with_files(digits, tmp_path):
    words = [f"--precision={name}" for name in ("fp32", "fp16", "int8-dynamic", "int8-static")]
    code, out, told = course(
        digits,
        *words,
        "--batch",
        4,
        "--rounds",
        3,
        "--json",
        tmp_path / "r.json",
        "--plot",
        tmp_path / "p.svg",
    )
    assert code == 0
    results = measure.Results.load(tmp_path / "r.json")
    assert results.names == ["CPU fp32", "CPU fp16", "CPU int8-dynamic", "CPU int8-static"]
    assert all(name in out for name in results.names) and "CPU fp32, again (A/A)" in out
    assert [variant.items for variant in results.variants] == [4] * 4 and results.threads == 1
    assert results.command.startswith("course bench digits.onnx --precision fp32 --precision fp16")
    assert (
        results.command.endswith("--batch 4 --rounds 3 --warmup 0.0")
        and str(tmp_path) not in results.command
    )
    assert str(tmp_path) not in (tmp_path / "r.json").read_text()
    quality_of = {name: float(results[name].notes["SQNR dB"]) for name in results.names}
    assert (
        quality_of["CPU fp32"] == np.inf
        and quality_of["CPU fp16"] > 50
        and quality_of["CPU int8-dynamic"] > 20
    )
    # Signed weights of 8 bits: where sums saturate the table says so, beside the SQNR of every
    # other processor.
    native, hint = (
        quality_of["CPU int8-static"],
        "CPU int8-static loses by this processor's kernels",
    )
    exact = float(results["CPU int8-static"].notes[quality.EXACT])
    assert exact > 20 and (hint in told, native < exact - 3) == (measure.saturates(),) * 2
    assert [name for name in results.names if quality.EXACT in results[name].notes] == [
        "CPU int8-dynamic",
        "CPU int8-static",
    ]
    # Dynamic quantization has one scale for a whole batch.
    depends = {name: results[name].notes[quality.ALONE] for name in results.names}
    dynamic = depends.pop("CPU int8-dynamic")
    assert dynamic.startswith("SQNR") and set(depends.values()) == {"same"}
    assert "CPU int8-dynamic: a row's outputs depend on the rows beside it" in told
    sizes = {name: float(results[name].notes["MB"]) for name in results.names}
    assert (
        sizes["CPU fp16"] < 0.6 * sizes["CPU fp32"]
        and sizes["CPU int8-static"] < 0.4 * sizes["CPU fp32"]
    )
    assert (tmp_path / "p.svg").read_text().startswith("<?xml")


def test_signed_activations_are_measured_on_every_processor(digits, tmp_path):
    """They never saturate, and a session that is told to be precise does not load them on a
    processor where others do.
    """
    images = {"image": np.random.default_rng(0).normal(size=(8, 1, 8, 8)).astype(np.float32)}

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.left = [images]

        def get_next(self):
            return self.left.pop() if self.left else None

    model = onnx.load(digits)
    del model.graph.value_info[:]
    quantize_static(
        model, tmp_path / "s8s8.onnx", Reader(), QuantFormat.QOperator, per_channel=True
    )
    code, _, told = course(
        tmp_path / "s8s8.onnx", "--batch", 4, "--rounds", 3, "--json", tmp_path / "r.json"
    )
    assert code == 0, told
    assert "saturate" not in told
    # A quantized file is its own reference, computed exactly.
    notes = measure.Results.load(tmp_path / "r.json")["CPU given"].notes
    assert notes[quality.EXACT] == "inf" and float(notes[quality.NATIVE]) > 40


SHARED_ZERO_POINT = """g (float[N, 4] x) => (float[N, 2] y)
<float s = {0.02}, int8 z = {0}, int8 z2 = {0},
 int8[4, 2] a = {90, -101, 72, 113, 64, -115, 6, 97}, int8[4, 2] b = {-106, 85, 94, 73, -12, 121, 9, 88}> {
  q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z)
  e = DequantizeLinear(a, s, z) f = DequantizeLinear(b, s, OTHER)
  h = MatMul(d, e) k = MatMul(d, f) y = Add(h, k)
}"""


def test_a_file_that_cannot_be_run_precisely_says_why(tmp_path):
    """Two weights that share one zero point end ONNX Runtime's rewriting of it."""
    files = [
        model_of(SHARED_ZERO_POINT.replace("OTHER", name), tmp_path / f"{name}.onnx")
        for name in ("z2", "z")
    ]
    words = ["--session", "session.x64quantprecision=1", "--rounds", 3]
    code, out, told = course(*files, *words)
    assert code == 0 and "a zero point of its own" in told
    assert "z2.onnx" in out and "Attempt to replace" not in told
    code, _, told = course(files[1], "--rounds", 3)
    assert code == 0 and "zero point" not in told


def test_an_overflow_that_this_cpu_hides_is_named(tmp_path):
    text = """g (float[N, 4] x) => (float[N, 4] y) <float big = {30000}, float small = {0.0001}> {
        h = Mul(x, big) k = Mul(h, big) y = Mul(k, small) }"""
    model = model_of(text, tmp_path / "loud.onnx")
    words = ["--precision=fp32", "--precision=fp16", "--rounds", 3, "--json", tmp_path / "r.json"]
    code, _, told = course(model, *words)
    assert code == 0, told
    notes = measure.Results.load(tmp_path / "r.json")["CPU fp16"].notes
    assert (
        notes["SQNR dB float16"] == "-inf"
        and "(Mul), infinite or NaN in float16" in notes["largest number"]
    )
    assert float(notes["SQNR dB"]) > 40
    assert (
        "NaN or infinity in float16 arithmetic" in told
        and "The first value that it cannot hold" in told
    )


def test_the_order_is_kept_in_the_file_as_it_was_typed(bert, tmp_path):
    text = "--provider CPU --threads 2 --batch 2 --dim sequence=5 --range input_ids=3:9 --seed 7 --rounds 4 --warmup 0.1"
    words = text.split()
    code, _, _ = course(bert, *words, "--json", tmp_path / "r.json")
    results = measure.Results.load(tmp_path / "r.json")
    assert code == 0 and results.seed == 7 and results.threads == 2 and results.rounds >= 4
    assert results.command == "course bench bert.onnx " + " ".join(words)


MISTAKES = [
    (["--provider", "gpu"], r"there is no provider 'gpu': this build of ONNX Runtime has .*cpu"),
    (["--provider", "coreml"], r"coreml is in another build of ONNX Runtime"),
    (
        ["--precision", "int4"],
        r"there is no precision 'int4'; there are given, fp32, fp16, int8-dynamic, int8-static",
    ),
    (["--batch", "0"], r"--batch"),
    (["--dim", "sequence"], r"--dim takes NAME=SIZE"),
    (["--dim", "sequence=-1"], r"--dim takes NAME=SIZE"),
    (
        ["--dim", "length=3"],
        r"no input has a dynamic dimension 'length'; there are: batch, sequence",
    ),
    (["--range", "input_ids=9:3", "--dim", "sequence=4"], r"--range takes INPUT=LOW:HIGH"),
    (
        ["--range", "ids=0:3", "--dim", "sequence=4"],
        r"there is no input 'ids' for a range; the inputs are input_ids, attention_mask",
    ),
    (
        [],
        r"the dimension 'sequence' of input 'input_ids' is dynamic and has no size: add --dim sequence=SIZE",
    ),
    (
        ["--dim", "sequence=4", "--range", "input_ids=0:5000"],
        r"does not run on these inputs: .* Check --dim, --batch, and --range",
    ),
    (["--dim", "sequence=4", "--cuda-graph"], r"--cuda-graph needs --provider cuda"),
    (
        ["--graph", "most"],
        r"there is no level 'most'; there are disable, basic, extended, layout, all",
    ),
    (["--session", "precise"], r"--session takes KEY=VALUE"),
    (
        ["--outputs", "embeddings"],
        r"there is no kind of output 'embeddings'; there are numbers, vectors, classes, labels",
    ),
    (
        ["--dim", "sequence=4", "--outputs", "pooled=vectors"],
        r"there is no output 'pooled' for --outputs; the outputs are ",
    ),
    (
        ["--dim", "sequence=4", "--mask", "ids"],
        r"there is no input 'ids' for --mask; the inputs are input_ids, attention_mask",
    ),
    (
        ["--feeds", "none.npz"],
        r"none.npz is no .npz file of arrays: write one with numpy.savez\('none.npz', input_ids=...\)",
    ),
    (
        ["--feeds", "none.npz", "--batch", "2"],
        r"--feeds has the sizes and the values: leave --batch, --dim and --range out",
    ),
    (
        ["--dim", "sequence=4", "--against", "none.json"],
        r"none.json could not be read: No such file",
    ),
    (
        ["--dim", "sequence=4", "--json", "no/such/folder/r.json"],
        r"there is no folder no/such/folder to write r.json into",
    ),
    (["--dim", "sequence=4", "--json", "/"], r"is one"),
    (
        ["--dim", "sequence=4", "--rounds", "3", "--json", "/proc/r.json"],
        r"/proc/r.json could not be written",
    ),
    (["--dim", "sequence=4", "--plot", "p.png"], r"a plot is written as SVG: name it p.svg"),
]


@pytest.mark.parametrize(
    ("words", "message"), MISTAKES, ids=[" ".join(words) or "nothing" for words, _ in MISTAKES]
)
def test_a_mistake_is_answered_in_words(bert, words, message):
    code, out, err = course(bert, *words)
    assert code == 2 and re.search(message, err), err
    assert not out or "could not be written" in err


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "there is no file"),
        (b"no model", "is not an ONNX model"),
        (b"", "is empty"),
        (b"\x08\x0a", "holds no graph"),
    ],
)
def test_a_file_that_is_no_model(tmp_path, data, message):
    path = tmp_path / "m.onnx"
    if data is not None:
        path.write_bytes(data)
    code, _, err = course(path)
    assert code == 2 and message in err


@pytest.mark.parametrize("command", ["bench", "diff"])
@pytest.mark.parametrize(
    ("beginning", "message"),
    [
        (b"\x1f\x8b\x08", "is compressed (gzip): unpack it first"),
        (b"PK\x03\x04", "is a zip archive"),
        (b"version https://git-lfs.github.com/spec/v1\n", "fetch it with `git lfs pull`"),
        (b"\n<!DOCTYPE html>\n<html>", "is a web page"),
        (b"<ir_version: 10>\ng () => () {}", "is ONNX's text form"),
        (b'{"irVersion": "10"}', "is JSON"),
        (b"GGUF\x03\x00", "is a GGUF file"),
        (b"\x89HDF\r\n\x1a\n", "is an HDF5 file"),
        (b"\x1c\0\0\0TFL3", "is a TensorFlow Lite model"),
        (b"\x20\0\0\0ORTM", "in ONNX Runtime's own format"),
        (b"\x93NUMPY\x01", "is an array that NumPy saved"),
        (b"\x80\x02}q\x00.", "is a pickle"),
        (b"\x40" + bytes(7) + b'{"w": {}}', "is a SafeTensors file"),
    ],
)
def test_a_file_of_another_kind_is_called_what_it_is(beginning, message, command, digits, tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(beginning + bytes(60))
    words = [path] if command == "bench" else [digits, path]
    result = CliRunner().invoke(app, [command, *map(str, words)])
    assert result.exit_code == 2 and message in " ".join(result.stderr.split()), result.stderr


def test_a_folder_and_a_file_beyond_what_is_parsed_are_called_that(tmp_path):
    large = tmp_path / "large.onnx"
    with large.open("wb") as file:
        file.truncate(1 << 31)
    assert "is a folder" in course(tmp_path)[2]
    assert "2,147,483,648 bytes, and Protocol Buffers reads 2 GiB at most" in course(large)[2]


def test_a_dimension_of_minus_one_is_one_of_any_size(tmp_path):
    """Keras writes such dimensions, and ONNX Runtime takes them for dynamic ones."""
    path = model_of("g (float[N, 2] x) => (float[N, 2] y) { y = Relu(x) }", tmp_path / "m.onnx")
    model = onnx.load(path)
    for value in (model.graph.input[0], model.graph.output[0]):
        value.type.tensor_type.shape.dim[0].dim_value = -1
    onnx.save(model, path)
    assert feeds.make_feeds(onnx.load(path), batch=3)["x"].shape == (3, 2)
    assert course(path, "--rounds=3")[0] == 0


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ([1 << 40, 2], "has 2,199,023,255,552 numbers, and at most 256 million are drawn"),
        ([1, "batch size"], "add --dim 'batch size=SIZE'"),
    ],
)
def test_a_shape_that_cannot_be_drawn_is_answered_with_what_helps(dims, message, tmp_path):
    path = model_of("g (float[N, M] x) => (float[N, M] y) { y = Relu(x) }", tmp_path / "m.onnx")
    model = onnx.load(path)
    for value in (model.graph.input[0], model.graph.output[0]):
        value.CopyFrom(helper.make_tensor_value_info(value.name, TensorProto.FLOAT, dims))
    onnx.save(model, path)
    code, _, told = course(path)
    assert code == 2 and message in told


def test_no_weight_of_few_bits_hides_from_fp32(tmp_path):
    """Not in a branch, not in a Constant, not in a function's branch, and not behind a
    DequantizeLinear.
    """
    branch = parser.parse_model("""<ir_version: 10, opset_import: ["": 20, "my": 1]>
        g (bool c, float[2] x) => (float[2] y) { y = my.f(c, x) }
        <domain: "my", opset_import: ["": 20]> f (c, x) => (y) {
            y = If(c) <then_branch = t () => (float[2] a) {
                           h = Constant <value = float16[2] {1, 2}> () k = Cast<to = 1>(h) a = Add(x, k) },
                       else_branch = e () => (float[2] b) { b = Neg(x) }> }""")
    onnx.save(branch, tmp_path / "branch.onnx")
    codes = model_of(
        """g (float[2] x) => (float[2] y) <int8[2] q = {1, 2}, float s = {0.5}> {
            w = DequantizeLinear(q, s) y = Mul(x, w) }""",
        tmp_path / "codes.onnx",
    )
    for path, found in ((tmp_path / "branch.onnx", "FLOAT16"), (codes, "DequantizeLinear")):
        with pytest.raises(CannotBench, match=f"is not FP32, it holds {found}"):
            precisions.convert(path, precisions.Precision.fp32, tmp_path, {})


def test_the_size_counts_what_lies_in_other_files_wherever_it_is_read(tmp_path):
    path = model_of(
        """g (float[2] x) => (float[2] y) {
            w = Constant <value = float[2] {1, 2}> () y = Mul(x, w) }""",
        tmp_path / "m.onnx",
    )
    model = onnx.load(path)
    tensor = model.graph.node[0].attribute[0].t
    tensor.ClearField("float_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="w.bin")
    (tmp_path / "w.bin").write_bytes(np.float32([1, 2]).tobytes() + bytes(1000))
    onnx.save_model(model, path)
    assert bench._size(path) == path.stat().st_size + 1008


def test_the_reason_stands_where_the_runtime_puts_its_functions_first(tmp_path):
    model = onnx.load(
        model_of("g (float[2] x) => (float[2] y) { y = Relu(x) }", tmp_path / "m.onnx")
    )
    del model.opset_import[:]
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    code, _, told = course(tmp_path / "m.onnx")
    assert code == 2 and "failed:Missing opset in the model" in told


def test_a_model_without_nodes_has_a_plain_name(tmp_path):
    """None of its nodes runs on the CPU, and none runs elsewhere."""
    path = model_of("g (float[N, 2] x) => (float[N, 2] x) { }", tmp_path / "m.onnx")
    code, out, told = course(path, "--rounds=3")
    assert code == 0 and "CPU given" in out and "%" not in out.splitlines()[1].split("given")[0], (
        told
    )


def test_a_converter_s_missing_key_is_said_as_that(tmp_path):
    """The quantizer looks for the name of the condition that this Loop leaves out."""
    path = model_of(
        """g (float[2] x) => (float[2] y) <int64 n = {3}> {
            y = Loop(n, "", x) <body = b (int64 i, bool c, float[2] v) => (bool d, float[2] w) {
                d = Identity(c) w = Add(v, x) }> }""",
        tmp_path / "m.onnx",
    )
    told = course(path, "--precision=given", "--precision=int8-static", "--rounds=3")[2]
    assert "could not be converted to int8-static: KeyError: ''" in told


def test_what_the_runtime_refuses_is_told_in_one_line(tmp_path):
    graph = helper.make_graph(
        [helper.make_node("NoSuchOperator", ["x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])],
    )
    onnx.save(make_model(graph), tmp_path / "m.onnx")
    code, _, err = course(tmp_path / "m.onnx")
    assert code == 2 and "ONNX Runtime does not load the model" in err and "NoSuchOperator" in err


def test_a_session_that_falls_back_is_refused_and_says_what_to_do(digits, monkeypatch):
    """With no device to be seen, whatever this machine has. A build without CUDA says that instead."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    code, out, err = course(digits, "--provider", "cuda")
    assert code == 2 and not out
    if "cuda is in another build" not in err:
        assert re.search("asked for CUDA, the session runs on CPU|there is no session on CUDA", err)
        assert "course doctor" in err and "--provider cpu" in err


def test_a_fixed_batch_is_not_overridden(tmp_path):
    path = model_of("g (float[2, 3] x) => (float[2, 3] y) { y = Relu(x) }", tmp_path / "m.onnx")
    assert course(path, "--rounds", 3)[0] == 0
    code, _, err = course(path, "--batch", 8)
    assert code == 2 and "the batch is fixed at 2 in this file (input 'x')" in err


def test_a_variant_that_computes_something_else_is_called_out(tmp_path):
    """A weight beyond FP16's range: the converter clips it, and the table alone would show a fast
    variant.
    """
    graph = parser.parse_graph("g (float[N, 2] x) => (float[N, 2] y) { y = MatMul(x, w) }")
    graph.initializer.append(
        onnx.numpy_helper.from_array(np.array([[1e9, 2.0], [3.0, -1e9]], np.float32), "w")
    )
    onnx.save(make_model(graph), tmp_path / "m.onnx")
    code, _, err = course(
        tmp_path / "m.onnx", "--precision", "fp32", "--precision", "fp16", "--rounds", 3
    )
    assert code == 0 and re.search(r"warning: CPU fp16 computes something else: SQNR -?\d", err)


def converted(source, folder, precision):
    folder.mkdir(exist_ok=True)
    return precisions.convert(source, precisions.Precision(precision), folder, {})


def test_files_are_compared_in_turns_and_the_first_is_the_reference(digits, tmp_path):
    """A name that two folders have is told apart by as much of the folders as that takes."""
    half = converted(digits, tmp_path / "out", "fp16")
    again = tmp_path / "new" / digits.name
    again.parent.mkdir()
    again.write_bytes(digits.read_bytes())
    words = ["--batch", 4, "--rounds", 3, "--json", tmp_path / "r.json"]
    code, out, told = course(digits, half, again, *words)
    assert code == 0, told
    results = measure.Results.load(tmp_path / "r.json")
    first = f"{tmp_path.name}/digits.onnx"
    assert results.names == [first, "out/fp16.onnx", "new/digits.onnx"]
    assert f"÷ {first}" in out and str(tmp_path) not in out
    assert results.command.startswith("course bench digits.onnx fp16.onnx digits.onnx --batch 4")
    quality_of = {name: float(results[name].notes["SQNR dB"]) for name in results.names}
    assert quality_of[first] == quality_of["new/digits.onnx"] == np.inf
    assert 50 < quality_of["out/fp16.onnx"] < 100
    sizes = {name: float(results[name].notes["MB"]) for name in results.names}
    assert sizes["out/fp16.onnx"] < 0.6 * sizes[first]
    # Other variants multiply the files.
    code, out, told = course(digits, half, "--graph", "basic", "--graph", "all", "--rounds", 3)
    assert code == 0 and all(
        f"{name}, graph {level}" in out
        for name in ("digits.onnx", "fp16.onnx")
        for level in ("basic", "all")
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("g (float[N, 2] z) => (float[N, 2] y) { y = Relu(z) }", "it takes the inputs z"),
        ("g (double[N, 2] x) => (double[N, 2] y) { y = Relu(x) }", "its input 'x' is float64"),
        ("g (float[N, 3] x) => (float[N, 3] y) { y = Relu(x) }", r"'x' takes \[any, 3\]"),
        (
            "g (float[N, 2] x) => (float[N, 2] y, float[N, 2] z) { y = Relu(x) z = Abs(x) }",
            "it has 2 outputs, and the reference has 1",
        ),
        ("g (float[N, 2] x) => (float[N, 2] y) { y = NoSuch(x) }", "does not load the model"),
    ],
    ids=["name", "type", "shape", "outputs", "unknown operator"],
)
def test_a_file_that_cannot_be_compared_has_no_row_and_a_reason(tmp_path, text, said):
    first = model_of(
        "g (float[N, 2] x) => (float[N, 2] y) { y = Relu(x) }", tmp_path / "first.onnx"
    )
    other = model_of(text, tmp_path / "other.onnx")
    code, _out, told = course(first, other, "--rounds", 3, "--json", tmp_path / "r.json")
    assert code == 0, told
    results = measure.Results.load(tmp_path / "r.json")
    assert results.names == ["first.onnx"] and list(results.missing) == ["other.onnx"]
    assert re.search(f"warning: other.onnx was not measured: .*{said}", told)


def test_files_that_cannot_be_measured_together_are_refused(digits, tmp_path):
    code, _, told = course(digits, digits)
    assert code == 2 and "digits.onnx was given twice" in told and "A/A" in told
    code, _, told = course(digits, tmp_path / "none.onnx")
    assert code == 2 and "there is no file" in told
    code, _, told = course(tmp_path / "new.json", tmp_path / "old.json")
    assert code == 2 and "`course bench old.json --against new.json`" in told


def test_each_failure_names_its_variant(tmp_path):
    """Two variants that cannot be had, and one that can."""
    graph = parser.parse_graph("g (float[N, 2] x) => (float[N, 2] y) { y = MatMul(x, w) }")
    weight = np.array([[1, 2], [3, 4]], np.float16)
    graph.initializer.append(onnx.numpy_helper.from_array(weight, "half"))
    graph.node.insert(0, helper.make_node("Cast", ["half"], ["w"], to=TensorProto.FLOAT))
    onnx.save(make_model(graph), tmp_path / "m.onnx")
    words = [f"--precision={name}" for name in ("fp32", "given", "int8-dynamic")]
    code, out, told = course(tmp_path / "m.onnx", *words, "--rounds", 3)
    assert code == 0 and "CPU given" in out
    for name in ("CPU fp32", "CPU int8-dynamic"):
        assert f"warning: {name} was not measured: m.onnx is not FP32" in told
    code, _, told = course(tmp_path / "m.onnx", *words[::2])
    assert code == 2 and "no variant can be measured. CPU fp32: m.onnx is not FP32" in told


def test_a_domain_that_is_imported_under_both_names_is_converted(digits, tmp_path):
    model = onnx.load(digits)
    model.opset_import.append(helper.make_opsetid("ai.onnx", model.opset_import[0].version))
    onnx.save(model, tmp_path / "two.onnx")
    words = ["--precision=int8-dynamic", "--precision=int8-static", "--batch=4", "--rounds=3"]
    code, _out, told = course(tmp_path / "two.onnx", *words)
    assert code == 0 and "was not measured" not in told, told


def test_a_variant_that_was_lost_since_is_not_passed_over(measured, tmp_path):
    """In CI: it was measured before, and now it ends the runtime."""
    old, new = measured("before.json"), measure.Results.load(measured("after.json"))
    lost = bench.replace(new.variants[0], name="CPU fp16")
    both = measure.Results.load(old)
    bench.replace(both, variants=(*both.variants, lost)).save(old)
    bench.replace(new, missing={"CPU fp16": "it died"}).save(tmp_path / "after.json")
    code, _, told = course(tmp_path / "after.json", "--against", old)
    assert code == 3 and "CPU fp16 cannot be compared" in told


def test_the_level_of_a_comparison_holds_for_all_its_rows(measured):
    old = measure.Results.load(measured("before.json", noise=0.05))
    rows = [bench.replace(old.variants[0], name=f"v{place}") for place in range(20)]
    many = bench.replace(old, variants=tuple(rows))
    [one] = against.changes(old, old)
    assert {each.interval.level > one.interval.level for each in against.changes(many, many)} == {
        True
    }


def test_fp32_is_claimed_of_fp32_files_only(digits, tmp_path):
    half = precisions.convert(digits, precisions.Precision.fp16, tmp_path, {})
    code, _, err = course(half, "--precision", "fp32")
    assert code == 2 and "is not FP32, it holds FLOAT16: measure it with --precision given" in err
    assert course(half, "--rounds", 3)[0] == 0


def test_a_model_that_cannot_be_converted_says_so(tmp_path):
    path = model_of(
        "g (float[N, 3] x) => (float[N, 4] y) { y = MatMul(x, w) }", tmp_path / "m.onnx"
    )
    model = onnx.load(path)
    model.graph.initializer.append(
        TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3, 4], raw_data=b"too short")
    )
    onnx.save(model, path)
    with pytest.raises(CannotBench, match="could not be converted to int8-dynamic"):
        precisions.convert(path, precisions.Precision.int8_dynamic, tmp_path, {})


def test_feeds_fit_the_file():
    model = onnx.load_from_string(fixtures.read("bert"))
    made = feeds.make_feeds(model, batch=3, sizes={"sequence": 9}, seed=1)
    ids, mask = made["input_ids"], made["attention_mask"]
    assert (
        ids.shape == mask.shape == (3, 9)
        and ids.dtype == np.int64
        and len(np.unique(ids)) > 9
        and ids.max() < 97
    )
    assert (mask == 1).all()
    assert all(
        np.array_equal(value, feeds.make_feeds(model, 3, {"sequence": 9}, seed=1)[name])
        for name, value in made.items()
    )
    images = feeds.make_feeds(onnx.load_from_string(fixtures.read("digits-cnn")))["image"]
    assert images.shape == (1, 1, 8, 8) and images.dtype == np.float32 and np.std(images) > 0.5


def test_dimensions_without_a_name_and_inputs_of_other_kinds():
    graph = parser.parse_graph(
        "g (float16[N, M] x, bool[N] b, uint8[N] u) => (float16[N, M] y) { y = Relu(x) }"
    )
    graph.input[0].type.tensor_type.shape.dim[1].Clear()
    model = make_model(graph)
    with pytest.raises(CannotBench, match="add --dim x:1=SIZE"):
        feeds.make_feeds(model)
    made = feeds.make_feeds(model, 2, {"x:1": 5}, {"u": (250, 256)})
    assert (
        made["x"].shape == (2, 5)
        and made["x"].dtype == np.float16
        and made["b"].all()
        and made["u"].min() >= 250
    )
    with pytest.raises(CannotBench, match="does not fit uint8"):
        feeds.make_feeds(model, 2, {"x:1": 5}, {"u": (0, 257)})
    model.graph.input[2].type.tensor_type.elem_type = TensorProto.STRING
    with pytest.raises(CannotBench, match="holds STRING"):
        feeds.make_feeds(model, 2, {"x:1": 5})
    model.graph.input[2].CopyFrom(
        helper.make_tensor_sequence_value_info("u", TensorProto.FLOAT, None)
    )
    with pytest.raises(CannotBench, match="'u' is no tensor"):
        feeds.make_feeds(model, 2, {"x:1": 5})


@pytest.mark.parametrize("fixed", [False, True])
def test_bound_inputs_and_outputs_give_the_same(digits, monkeypatch, fixed):
    """The path that a GPU takes, with the CPU as the device; `fixed` buffers are those of a CUDA
    graph.
    """
    images = {"image": np.random.default_rng(0).normal(size=(3, 1, 8, 8)).astype(np.float32)}
    plain = sessions.Runner(digits, images)
    session = plain.session
    binding = sessions._bind(session, images, "cpu", plain.outputs() if fixed else ())
    monkeypatch.setattr(plain, "binding", None)
    expected = plain.outputs()
    monkeypatch.setattr(plain, "binding", binding)
    plain()
    assert np.array_equal(plain.outputs()[0], expected[0])


def test_a_cuda_graph_elsewhere_than_on_cuda_is_refused(digits):
    with pytest.raises(CannotBench, match="CUDA graphs belong to the provider CUDA"):
        sessions.Runner(digits, {}, cuda_graph=True)


def test_agreement():
    ones = np.ones(4, np.float32)
    assert kinds.agreement([ones, ones], [ones, ones * 0.9]) == pytest.approx(20)
    assert kinds.agreement([ones], [ones[:2]]) == -np.inf
    assert kinds.agreement([ones, ones], [ones * 0.9, ones * np.nan]) == -np.inf
    assert kinds.agreement([np.arange(3)], [np.arange(3)]) == np.inf
    assert kinds.agreement(
        [ones, ["a"], np.array(["b"])], [ones * 0.9, ["c"], np.array(["d"])]
    ) == pytest.approx(20)


def test_a_kind_of_output_has_its_measure():
    """Smaller by 40 %, a vector points the same way; with two entries exchanged, a row has another
    class.
    """
    rows = np.array([[3, 1, 0.5], [-1, 2, 0.1]], np.float32)
    smaller, exchanged = 0.6 * rows, rows[:, [1, 0, 2]]
    found = {kind.name: kind.agreement(rows, smaller) for kind in kinds.KINDS}
    expected = {"numbers": 20 * np.log10(2.5), "vectors": 1, "classes": 1, "labels": 0}
    assert found == pytest.approx(expected)
    assert kinds.CLASSES.agreement(rows, exchanged) == 0
    assert kinds.LABELS.agreement(np.array(["a", "b"], object), np.array(["a", "c"], object)) == 0.5
    assert kinds.VECTORS.agreement(0 * rows, 0 * rows) == 1 and kinds.VECTORS.agreement(
        0 * rows, rows
    ) == pytest.approx(0)
    for kind in kinds.KINDS:
        assert kind.agreement(rows, rows[:1]) == -np.inf
        assert kind is kinds.LABELS or kind.agreement(rows, rows * np.nan) == -np.inf


def test_the_bars_of_numbers_and_vectors_refuse_the_same_noise():
    rng = np.random.default_rng(0)
    rows, noise = rng.normal(size=(2, 200, 384))
    for power, passes in ((0.09, True), (0.12, False)):
        noisy = rows + np.sqrt(power) * noise
        for kind in (kinds.NUMBERS, kinds.VECTORS):
            assert (kind.agreement(rows, noisy) >= kind.least) is passes, (kind.name, power)


@pytest.mark.parametrize("kind", kinds.KINDS, ids=lambda kind: kind.name)
def test_outputs_that_hold_nothing_agree_in_nothing(kind):
    """All zeros, no rows at all, scores of which none is the largest: whatever a variant does to
    the rest of the model, these come out alike.
    """
    zeros = np.zeros((2, 3), np.float32)
    nothing = [zeros[:0]] + [zeros] * (kind is not kinds.LABELS)
    nothing += [np.full((2, 3), 0.1, np.float32)] * (kind is kinds.CLASSES)
    rows = np.array([[3, 1, 0.5], [-1, 2, 0.1]], np.float32)
    for value in nothing:
        assert np.isnan(kinds.agreements([kind], [value], [value])[kind])
        # beside another output, that one decides
        both = kinds.agreements([kind, kind], [value, rows], [value, rows])
        assert both[kind] == kind.perfect
    if kind is not kinds.LABELS:
        assert kinds.agreements([kind], [zeros], [rows])[kind] < kind.least
    mask = np.zeros(2, np.int64)
    assert np.isnan(kinds.agreements([kind], [rows], [rows], mask)[kind])


def test_a_model_whose_outputs_are_all_zero_gets_no_perfect_score(tmp_path):
    """As a classifier whose last layer was never trained has."""
    graph = parser.parse_graph("g (float[N, 3] x) => (float[N, 4] y) { y = MatMul(x, w) }")
    graph.initializer.append(onnx.numpy_helper.from_array(np.zeros((3, 4), np.float32), "w"))
    onnx.save(make_model(graph), tmp_path / "m.onnx")
    words = ["--precision", "fp32", "--precision", "fp16", "--precision", "int8-dynamic"]
    for of_kind in ((), ("--outputs", "classes"), ("--outputs", "vectors")):
        options = [*words, *of_kind, "--rounds", 3, "--json", tmp_path / "r.json"]
        code, out, told = course(tmp_path / "m.onnx", *options)
        assert code == 0, told
        results = measure.Results.load(tmp_path / "r.json")
        columns = {kind.column for kind in kinds.KINDS}
        for variant in results.variants:
            assert [variant.notes[each] for each in columns & set(variant.notes)] == ["nothing"]
            assert f"warning: {variant.name} was not compared" in told
        assert "inf" not in out and "1.0000" not in out


def test_the_kind_of_an_output_is_that_of_its_type_or_declared():
    values = [np.ones((2, 3), np.float32), np.ones(2, np.int64), np.array(["a"]), [{"a": 1}]]
    names = ["scores", "label", "name", "all"]

    def named(**declared):
        found = kinds.kinds_of(
            {key.strip("_"): value for key, value in declared.items()}, names, values
        )
        return [kind and kind.name for kind in found]

    assert named() == ["numbers", "labels", "labels", None]
    assert named(_=kinds.CLASSES) == ["classes", "labels", "labels", None]
    assert named(label=kinds.NUMBERS) == ["numbers", "numbers", "labels", None]
    assert named(_=kinds.VECTORS, scores=kinds.CLASSES)[0] == "classes"
    with pytest.raises(
        CannotBench, match="the output 'y' is one number, and --outputs says vectors"
    ):
        kinds.kinds_of({"": kinds.VECTORS}, ["y"], [np.ones((), np.float32)])


def test_a_table_has_a_column_for_each_kind_of_output(tmp_path):
    path = model_of(
        "g (float[N, 4] x) => (float[N, 4] y, int64[N] label)"
        " { y = Relu(x) label = ArgMax <axis = 1, keepdims = 0> (x) }",
        tmp_path / "m.onnx",
    )

    def columns(*words):
        code, out, told = course(path, *words, "--rounds", 3, "--json", tmp_path / "r.json")
        assert code == 0, told
        notes = measure.Results.load(tmp_path / "r.json")["CPU given"].notes
        found = [kind.column for kind in kinds.KINDS if kind.column in notes]
        assert all(column in out for column in found)
        return found

    assert columns() == ["SQNR dB", "same label"]
    assert columns("--outputs", "y=vectors") == ["cosine", "same label"]
    assert columns("--outputs", "classes") == ["same class", "same label"]


@pytest.mark.parametrize(
    ("notes", "said"),
    [
        ({"SQNR dB": "8.5"}, "computes something else: SQNR 8.5 dB, and numbers need 10.0"),
        ({"SQNR dB": "11.0"}, ""),
        ({"cosine": "0.9300"}, "computes something else: cosine 0.9300, and vectors need 0.9500"),
        ({"cosine": "0.9800"}, ""),
        ({"same class": "0.8900"}, "same class in 89.0%, and classes need 0.9000"),
        ({"same label": "-inf"}, "computes something else: an output is not finite"),
        (
            {"cosine": "0.9600", "cosine exact": "0.9900"},
            "loses by this processor's kernels: cosine 0.9600, and cosine 0.9900 in exact arithmetic",
        ),
        ({"SQNR dB": "26.3", "SQNR dB exact": "40.6"}, "loses by this processor's kernels"),
        # A quantized file beside itself: exactly equal, but for codes that are rounded once otherwise.
        ({"SQNR dB": "33.9", "SQNR dB exact": "inf"}, ""),
        ({"SQNR dB": "26.3", "SQNR dB exact": "inf"}, "loses by this processor's kernels"),
        ({"SQNR dB": "-inf", "SQNR dB exact": "nothing"}, "computes something else"),
        ({"SQNR dB": "nothing", "SQNR dB exact": "nothing"}, "was not compared"),
    ],
    ids=str,
)
def test_each_kind_of_output_has_its_bar(base, notes, said):
    variant = bench.replace(base.variants[0], notes=notes)
    warnings = quality.warnings(bench.replace(base, variants=(variant,)))
    warned = [each for each in warnings if each.startswith(variant.name)]
    assert len(warned) == bool(said) and all(said in each for each in warned), warned


def test_the_page_has_the_bars():
    text = (ROOT / "docs" / "measuring.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([\d.]+) \| [^|]*\|$", text, re.MULTILINE)
    assert {name: float(bar) for name, bar in rows} == {
        kind.name: kind.least for kind in kinds.KINDS
    }


def test_data_beside_the_file_counts_and_is_found(digits, tmp_path):
    folder = tmp_path / "external"
    folder.mkdir()
    onnx.save(
        onnx.load(digits),
        folder / "m.onnx",
        save_as_external_data=True,
        location="m.data",
        size_threshold=1024,
    )
    order = bench.BenchRequest(
        folder / "m.onnx",
        precisions=[precisions.Precision.fp32, precisions.Precision.int8_dynamic],
        rounds=3,
    )
    results = bench.bench(order)
    assert float(results["CPU fp32"].notes["MB"]) == pytest.approx(
        digits.stat().st_size / 1e6, rel=0.05
    )


def test_a_run_that_tells_little_apart_warns(digits, monkeypatch):
    real = bench.compare

    def biased(*arguments, **options):
        results = real(*arguments, **options)
        seconds = tuple(2 * each for each in results.variants[0].seconds)
        return bench.replace(results, control=bench.replace(results.control, seconds=seconds))

    monkeypatch.setattr(bench, "compare", biased)
    code, out, err = course(digits, "--rounds", 12)
    assert (
        code == 0
        and "warning: This run cannot tell apart less than 100 %" in err
        and "Do not trust this run" in out
    )


def real_inputs(path, **arrays):
    np.savez(path, **arrays)
    return path


def test_real_inputs_are_used_and_their_padding_does_not_count(bert, tmp_path):
    ids, mask = np.full((2, 6), 5, np.int64), np.ones((2, 6), np.int64)
    mask[:, 3:] = 0
    file = real_inputs(tmp_path / "real.npz", input_ids=ids, attention_mask=mask)
    words = [
        "--precision",
        "fp32",
        "--precision",
        "fp16",
        "--rounds",
        3,
        "--json",
        tmp_path / "r.json",
    ]
    code, _, told = course(bert, "--feeds", file, *words)
    assert code == 0, told
    results = measure.Results.load(tmp_path / "r.json")
    assert results["CPU fp32"].items == 2 and "--feeds real.npz" in results.command
    model = onnx.load(bert)
    loaded = feeds.load_feeds(file, model)
    assert np.array_equal(loaded["attention_mask"], mask) and list(loaded) == [
        "input_ids",
        "attention_mask",
    ]
    worse = np.ones((2, 6, 4), np.float32)
    worse[:, 3:] = 7  # only where the mask is 0
    assert kinds.agreement([np.ones((2, 6, 4), np.float32)], [worse], mask) == np.inf
    assert kinds.agreement([np.ones((2, 6, 4), np.float32)], [worse]) < 0
    assert (
        kinds.agreement([np.ones((3, 6), np.float32)], [2 * np.ones((3, 6), np.float32)], mask) == 0
    )


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"image": np.zeros((2, 1, 8, 8))},
            "the array 'image' of .* is float64; the input is float32: change it with .astype",
        ),
        (
            {"image": np.zeros((2, 1, 9, 8), np.float32)},
            r"has the shape \[2, 1, 9, 8\]; the input takes \[any, 1, 8, 8\]",
        ),
        ({"image": np.zeros((1, 8, 8), np.float32)}, r"has the shape \[1, 8, 8\]"),
        ({"picture": np.zeros(1)}, "has the arrays picture; the inputs are image"),
        ({"image": np.array([{}])}, "is no .npz file of arrays"),
    ],
    ids=["type", "size", "rank", "name", "objects"],
)
def test_real_inputs_that_do_not_fit_are_refused(digits, tmp_path, arrays, message):
    with pytest.raises(CannotBench, match=message):
        feeds.load_feeds(real_inputs(tmp_path / "real.npz", **arrays), onnx.load(digits))


def test_static_int8_is_calibrated_on_what_it_is_told(digits, tmp_path):
    """Calibrated on inputs a hundred times smaller, it clips nearly everything."""
    rng = np.random.default_rng(0)
    real = rng.normal(size=(16, 1, 8, 8)).astype(np.float32)
    small = real_inputs(tmp_path / "small.npz", image=real / 100)
    file = real_inputs(tmp_path / "real.npz", image=real)

    def found(*words):
        order = [
            "--precision",
            "fp32",
            "--precision",
            "int8-static",
            "--feeds",
            file,
            "--rounds",
            3,
            "--json",
            tmp_path / "r.json",
        ]
        code, _, told = course(digits, *order, *words)
        assert code == 0, told
        return float(
            measure.Results.load(tmp_path / "r.json")["CPU int8-static"].notes[quality.EXACT]
        )

    assert found("--calibrate", file) > 20 > 10 > found("--calibrate", small)


def test_random_calibration_is_not_the_batch_that_is_judged(digits):
    order, model = bench.BenchRequest(digits, seed=3, batch=4), onnx.load(digits)
    given = bench._feeds(order, model)
    assert not any(
        np.array_equal(each["image"], given["image"])
        for each in bench._calibration(order, model, given)
    )


def test_levels_and_threads_are_variants_and_sessions_have_them(digits, tmp_path):
    words = [
        "--graph",
        "disable",
        "--graph",
        "all",
        "--threads",
        1,
        "--threads",
        2,
        "--session",
        "session.x64quantprecision=1",
    ]
    code, _, told = course(digits, *words, "--rounds", 3, "--json", tmp_path / "r.json")
    assert code == 0, told
    results = measure.Results.load(tmp_path / "r.json")
    names = [
        f"CPU given, graph {level}, {count}"
        for level in ("disable", "all")
        for count in ("1 thread", "2 threads")
    ]
    assert results.names == names and results.threads is None
    setup = bench.Setup(
        file=digits,
        source=digits,
        threads=2,
        level=bench.Level.basic,
        entries={"session.x64quantprecision": "1"},
    )
    session = setup.runner(
        {"image": np.zeros((1, 1, 8, 8), np.float32)}
    ).session.get_session_options()
    assert (
        session.intra_op_num_threads == 2
        and session.graph_optimization_level.name == "ORT_ENABLE_BASIC"
    )
    assert session.get_session_config_entry("session.x64quantprecision") == "1"


def test_cold_start_profile_and_callers(digits, tmp_path):
    code, out, told = course(
        digits,
        "--cold",
        "--profile",
        "--concurrent",
        1,
        "--concurrent",
        2,
        "--batch",
        4,
        "--rounds",
        3,
        "--json",
        tmp_path / "r.json",
    )
    assert code == 0, told
    results = measure.Results.load(tmp_path / "r.json")
    notes = results["CPU given"].notes
    assert all(float(notes[name]) > 0 for name in ("load ms", "first ms", "peak MB"))
    rows = results.profiles["CPU given"]
    assert rows[-1]["operator"] == kernels.BETWEEN and sum(
        row["share"] for row in rows
    ) == pytest.approx(1, abs=1e-3)
    assert {"Conv"} <= {row["operator"] for row in rows} and rows[0]["us"] >= rows[1]["us"]
    assert next(row["nodes"] for row in rows if row["operator"] == "Conv") == 2
    assert [row["callers"] for row in results.streams] == [1, 2] and all(
        row["p50"] <= row["p99"] for row in results.streams
    )
    assert "Where the time of CPU given goes" in out and "Several callers at a time" in out


def test_callers_wait_for_one_another_where_only_one_can_work():
    """One lock, and each answer takes a millisecond at least: all callers together get no more than
    a thousand answers a second.
    """
    lock, made = threading.Lock(), []

    def call():
        with lock:
            time.sleep(1e-3)
            made.append(threading.get_ident())

    rows = streams.measure({"a": call}, [1, 2], items=3, seconds=0.02, bursts=3)
    assert sum(row["n"] for row in rows) == len(made)
    assert all(row["items_per_second"] <= 3 / 1e-3 and row["p50"] >= 1e-3 for row in rows)
    made.clear()
    streams.burst(call, 2, 0.0)
    assert len(set(made)) == 2


def test_several_processes_are_fresh_ones(digits, tmp_path):
    words = ["--precision", "fp32", "--precision", "fp16", "--processes", 2, "--rounds", 3]
    code, out, told = course(digits, *words, "--json", tmp_path / "r.json")
    assert code == 0, told
    results = measure.Results.load(tmp_path / "r.json")
    assert results.processes == 2 and results.rounds == 3 and len(results["CPU fp32"].seconds) == 6
    assert "2 processes of 3 rounds" in out and "medians of processes lie" in out
    assert bench.fresh(os.getpid) != os.getpid()


def test_each_process_has_an_order_of_turns_of_its_own(digits, monkeypatch):
    seeds = []

    def here(function, *arguments):
        seeds.append(arguments[3].keywords["seed"])
        return function(*arguments)

    monkeypatch.setattr(bench, "fresh", here)
    bench.bench(bench.BenchRequest(digits, rounds=3, processes=3, seed=0))
    assert len(set(seeds)) == 3


def test_weights_of_seven_bits_lose_nothing_on_any_processor(digits, tmp_path):
    words = [
        "--precision",
        "fp32",
        "--precision",
        "int8-static-reduced",
        "--batch",
        16,
        "--rounds",
        3,
    ]
    code, _, told = course(digits, *words, "--json", tmp_path / "r.json")
    assert code == 0 and "loses by this processor" not in told, told
    notes = measure.Results.load(tmp_path / "r.json")["CPU int8-static-reduced"].notes
    assert (
        float(notes[quality.NATIVE]) == pytest.approx(float(notes[quality.EXACT]), abs=0.5)
        and float(notes[quality.EXACT]) > 20
    )


def test_a_quantized_model_without_exact_outputs_is_measured_all_the_same(
    digits, tmp_path, monkeypatch
):
    """Whatever the exact evaluation raises. The reference is then what the CPU computes."""
    file = precisions.convert(digits, precisions.Precision.int8_dynamic, tmp_path, {})

    def fails(*arguments):
        raise onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented("no kernel")

    monkeypatch.setattr(quality.quantized, "evaluate", fails)
    monkeypatch.setattr(bench.Spare, "call", lambda self, function, *given: function(*given))
    code, _, told = course(file, "--rounds", 3, "--json", tmp_path / "r.json")
    assert code == 0, told
    notes = measure.Results.load(tmp_path / "r.json")["CPU given"].notes
    assert notes[quality.NATIVE] == "inf" and quality.EXACT not in notes


def test_a_gpu_has_no_profile_and_no_callers_here(digits, monkeypatch):
    monkeypatch.setattr(bench, "provider_named", lambda name: sessions.CUDA)
    for word in ({"profile": True}, {"streams": [2]}):
        with pytest.raises(
            CannotBench, match="--profile and --concurrent are for --provider cpu alone"
        ):
            bench.bench(bench.BenchRequest(digits, **word))


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    path = tmp_path_factory.mktemp("base") / "digits.onnx"
    path.write_bytes(fixtures.read("digits-cnn"))
    found = bench.bench(bench.BenchRequest(path, rounds=8, warm_seconds=0))
    # Threads that other tests have left in this process count as this measurement's.
    return bench.replace(
        found, variants=tuple(bench.replace(each, cores=1.0) for each in found.variants)
    )


@pytest.fixture
def measured(base, tmp_path):
    """Writes a results file whose seconds the test chooses."""

    def written(name, factor=1.0, noise=0.001, processes=1, **changed):
        results = base
        rng = np.random.default_rng(len(name))
        seconds = tuple(factor * np.exp(noise * rng.normal(size=20 * processes)))
        variant = bench.replace(results.variants[0], seconds=seconds, single=())
        again = bench.replace(variant, seconds=seconds)
        bench.replace(
            results, variants=(variant,), control=again, processes=processes, **changed
        ).save(tmp_path / name)
        return tmp_path / name

    return written


@pytest.mark.parametrize(
    ("factor", "noise", "status", "word"),
    [
        (1.0, 0.001, 0, "not slower"),
        (1.2, 0.001, 1, "slower"),
        (0.8, 0.001, 0, "faster"),
        (1.0, 1.0, 3, "cannot tell"),
        (1.07, 0.15, 3, "cannot tell"),
    ],
)
@pytest.mark.parametrize("processes", [1, 5])
def test_ci_gets_an_exit_status(measured, factor, noise, status, word, processes):
    old, new = (
        measured("before.json", 1.0, noise, processes),
        measured("after.json", factor, noise, processes),
    )
    code, out, err = course(new, "--against", old)
    assert code == status and word in out.split("now ÷ before")[1], (out, err)
    assert ("what differs between processes is not in these intervals" in err) == (processes == 1)


def test_slower_is_said_of_an_interval_and_not_of_a_median(measured):
    """The median of eleven values of 1.1 and nine of 1 is 1.1, and nothing is known but that it is
    one of the two.
    """
    old = measure.Results.load(measured("before.json", noise=0.0))
    new = bench.replace(
        old, variants=(bench.replace(old.variants[0], seconds=(1.0,) * 9 + (1.1,) * 11),)
    )
    [change] = against.changes(old, new)
    assert (
        change.value == pytest.approx(1.1)
        and change.interval[:2] == pytest.approx((1.0, 1.1))
        and change.kind == "cannot tell"
    )
    assert against.status([change]) == 3


def test_a_tolerance_decides(measured):
    old, new = measured("before.json"), measured("after.json", 1.08)
    assert (
        course(new, "--against", old)[0] == 1
        and course(new, "--against", old, "--tolerance", 10)[0] == 0
    )


def test_what_cannot_be_compared_is_refused(measured):
    old = measured("before.json")
    card = measure.Results.load(old).card
    for changed, message in (
        (
            {"card": bench.replace(card, cpu="Another")},
            "two machines: .*--any-machine compares them",
        ),
        ({"threads": 4}, "threads or batch differ between the two results"),
    ):
        code, _, err = course(measured("after.json", **changed), "--against", old)
        assert code == 2 and re.search(message, err)
    elsewhere = measured("after.json", card=bench.replace(card, cpu="Another"))
    assert course(elsewhere, "--against", old, "--any-machine")[0] == 0
    names = measure.Results.load(old)
    renamed = bench.replace(
        names, variants=(bench.replace(names.variants[0], name="CPU fp32"),), control=None
    )
    with pytest.raises(
        CannotBench, match="the old results have no 'CPU fp32'; they have CPU given"
    ):
        against.changes(names, renamed)


def test_a_results_file_is_shown_and_a_broken_one_is_refused(measured, tmp_path):
    code, out, _ = course(measured("old.json"))
    assert code == 0 and out.startswith("variant") and "CPU given" in out
    (tmp_path / "no.json").write_text("{}")
    code, _, err = course(tmp_path / "no.json")
    assert code == 2 and "this is no results file of a schema that can be read, 1 or 2" in err


def test_json_on_standard_output_is_alone_there(measured):
    code, out, _ = course(measured("old.json"), "--json", "-")
    assert code == 0 and json.loads(out)["schema"] == 2
    code, out, err = course(
        measured("old.json"), "--json", "-", "--against", measured("other.json")
    )
    assert code == 0 and json.loads(out) and "now ÷ before" in err


def test_nothing_is_measured_before_the_files_can_be_written(digits, monkeypatch):
    monkeypatch.setattr(command, "bench", lambda order, watch: pytest.fail("measured"))
    assert course(digits, "--json", "no/such/folder/r.json")[0] == 2


def test_help_shows_every_option():
    result = CliRunner().invoke(app, ["bench", "--help"], env={"COLUMNS": "160", "TERM": "dumb"})
    assert result.exit_code == 0
    options = "provider precision graph threads session batch dim range feeds calibrate mask"
    options += " outputs seed rounds calls warmup processes concurrent"
    for option in (
        *options.split(),
        "cold",
        "profile",
        "cuda-graph",
        "tf32",
        "json",
        "plot",
        "against",
        "tolerance",
        "any-machine",
    ):
        assert f"--{option}" in result.stdout


def test_results_are_json_that_others_can_read(digits, tmp_path):
    assert course(digits, "--rounds", 3, "--json", tmp_path / "r.json")[0] == 0
    data = json.load(io.StringIO((tmp_path / "r.json").read_text()))
    assert set(data) >= {
        "schema",
        "card",
        "date",
        "command",
        "variants",
        "verdict",
        "summary",
        "load_average",
        "warm_up",
    }
