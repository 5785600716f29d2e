"""`course bench`, as one types it, on small models; what needs a GPU is tried on the CPU where the code is the same."""

import io
import json
import re

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, parser
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static
from typer.testing import CliRunner

from autograder.cli import app
from workbench import measure
from workbench.measure import bench, feeds, precisions, sessions
from workbench.measure.errors import CannotBench
from workbench.models import fixtures, make_model


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
    """`course bench …`: exit code, standard output, standard error in one line. A traceback would be another exception."""
    result = CliRunner().invoke(app, ["bench", *map(str, words)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, " ".join(result.stderr.split())


def model_of(text, path):
    onnx.save(make_model(parser.parse_graph(text)), path)
    return path


def test_precisions_in_turn_with_files(digits, tmp_path):
    words = [f"--precision={name}" for name in ("fp32", "fp16", "int8-dynamic", "int8-static")]
    code, out, told = course(digits, *words, "--batch", 4, "--rounds", 3, "--json", tmp_path / "r.json", "--plot", tmp_path / "p.svg")
    assert code == 0
    results = measure.Results.load(tmp_path / "r.json")
    assert results.names == ["CPU fp32", "CPU fp16", "CPU int8-dynamic", "CPU int8-static"]
    assert all(name in out for name in results.names) and "CPU fp32, again (A/A)" in out
    assert [variant.items for variant in results.variants] == [4] * 4 and results.threads == 1
    assert results.command.startswith("course bench digits.onnx --provider cpu --precision fp32") and str(tmp_path) not in results.command
    assert str(tmp_path) not in (tmp_path / "r.json").read_text()
    quality = {name: float(results[name].notes["SQNR dB"]) for name in results.names}
    assert quality["CPU fp32"] == np.inf and quality["CPU fp16"] > 50 and quality["CPU int8-dynamic"] > 20
    # Signed weights of 8 bits: where products saturate the table says so, with the SQNR of every other processor.
    native, hint = quality["CPU int8-static"], "CPU int8-static adds products of 8 bits in 16 bits, which saturate on this processor"
    everywhere = float(results["CPU int8-static"].notes[bench.UNSATURATED]) if measure.saturates() else native
    assert everywhere > 30 and (hint in told, native < everywhere - 3) == (measure.saturates(),) * 2
    assert [name for name in results.names if bench.UNSATURATED in results[name].notes] == ["CPU int8-static"] * measure.saturates()
    sizes = {name: float(results[name].notes["MB"]) for name in results.names}
    assert sizes["CPU fp16"] < 0.6 * sizes["CPU fp32"] and sizes["CPU int8-static"] < 0.4 * sizes["CPU fp32"]
    assert (tmp_path / "p.svg").read_text().startswith("<?xml")


def test_signed_activations_are_measured_on_every_processor(digits, tmp_path):
    """They never saturate, and a session that is told to be precise does not load them on a processor where others do."""
    images = {"image": np.random.default_rng(0).normal(size=(8, 1, 8, 8)).astype(np.float32)}

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.left = [images]

        def get_next(self):
            return self.left.pop() if self.left else None

    model = onnx.load(digits)
    del model.graph.value_info[:]
    quantize_static(model, tmp_path / "s8s8.onnx", Reader(), QuantFormat.QOperator, per_channel=True)
    code, _, told = course(tmp_path / "s8s8.onnx", "--batch", 4, "--rounds", 3, "--json", tmp_path / "r.json")
    assert code == 0, told
    assert "saturate" not in told
    assert bench.UNSATURATED not in measure.Results.load(tmp_path / "r.json")["CPU given"].notes


def test_the_order_is_kept_in_the_file_as_it_was_typed(bert, tmp_path):
    words = [
        "--provider",
        "CPU",
        "--batch",
        "2",
        "--dim",
        "sequence=5",
        "--range",
        "input_ids=3:9",
        "--threads",
        "2",
        "--rounds",
        "4",
        "--seed",
        "7",
    ]
    code, _, _ = course(bert, *words, "--json", tmp_path / "r.json")
    results = measure.Results.load(tmp_path / "r.json")
    assert code == 0 and results.seed == 7 and results.threads == 2 and results.rounds >= 4
    assert results.command == "course bench bert.onnx --provider CPU --precision given " + " ".join(words[2:])


MISTAKES = [
    (["--provider", "gpu"], r"there is no provider 'gpu': this build of ONNX Runtime has .*cpu"),
    (["--provider", "coreml"], r"coreml is in another build of ONNX Runtime"),
    (["--precision", "int4"], r"there is no precision 'int4'; there are given, fp32, fp16, int8-dynamic, int8-static"),
    (["--batch", "0"], r"--batch"),
    (["--dim", "sequence"], r"--dim takes NAME=SIZE"),
    (["--dim", "sequence=-1"], r"--dim takes NAME=SIZE"),
    (["--dim", "length=3"], r"no input has a dynamic dimension 'length'; there are: batch, sequence"),
    (["--range", "input_ids=9:3", "--dim", "sequence=4"], r"--range takes INPUT=LOW:HIGH"),
    (["--range", "ids=0:3", "--dim", "sequence=4"], r"there is no input 'ids' for a range; the inputs are input_ids, attention_mask"),
    ([], r"the dimension 'sequence' of input 'input_ids' is dynamic and has no size: add --dim sequence=SIZE"),
    (["--dim", "sequence=4", "--range", "input_ids=0:5000"], r"does not run on these inputs: .* Check --dim, --batch, and --range"),
    (["--dim", "sequence=4", "--cuda-graph"], r"--cuda-graph needs --provider cuda"),
    (["--dim", "sequence=4", "--json", "no/such/folder/r.json"], r"there is no folder no/such/folder to write r.json into"),
    (["--dim", "sequence=4", "--json", "/"], r"is one"),
    (["--dim", "sequence=4", "--rounds", "3", "--json", "/proc/r.json"], r"/proc/r.json could not be written"),
    (["--dim", "sequence=4", "--plot", "p.png"], r"a plot is written as SVG: name it p.svg"),
]


@pytest.mark.parametrize(("words", "message"), MISTAKES, ids=[" ".join(words) or "nothing" for words, _ in MISTAKES])
def test_a_mistake_is_answered_in_words(bert, words, message):
    code, out, err = course(bert, *words)
    assert code == 2 and re.search(message, err), err
    assert not out or "could not be written" in err


@pytest.mark.parametrize(
    ("data", "message"),
    [(None, "there is no file"), (b"no model", "is not an ONNX model"), (b"", "holds no graph"), (b"\x08\x0a", "holds no graph")],
)
def test_a_file_that_is_no_model(tmp_path, data, message):
    path = tmp_path / "m.onnx"
    if data is not None:
        path.write_bytes(data)
    code, _, err = course(path)
    assert code == 2 and message in err


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
    """A weight beyond FP16's range: the converter clips it, and the table alone would show a fast variant."""
    graph = parser.parse_graph("g (float[N, 2] x) => (float[N, 2] y) { y = MatMul(x, w) }")
    graph.initializer.append(onnx.numpy_helper.from_array(np.array([[1e9, 2.0], [3.0, -1e9]], np.float32), "w"))
    onnx.save(make_model(graph), tmp_path / "m.onnx")
    code, _, err = course(tmp_path / "m.onnx", "--precision", "fp32", "--precision", "fp16", "--rounds", 3)
    assert code == 0 and re.search(r"warning: CPU fp16 computes something else: SQNR -?\d", err)


def test_fp32_is_claimed_of_fp32_files_only(digits, tmp_path):
    half = precisions.convert(digits, precisions.Precision.fp16, tmp_path, {})
    code, _, err = course(half, "--precision", "fp32")
    assert code == 2 and "is not FP32, it holds FLOAT16: measure it with --precision given" in err
    assert course(half, "--rounds", 3)[0] == 0


def test_a_model_that_cannot_be_converted_says_so(tmp_path):
    path = model_of("g (float[N, 3] x) => (float[N, 4] y) { y = MatMul(x, w) }", tmp_path / "m.onnx")
    model = onnx.load(path)
    model.graph.initializer.append(TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3, 4], raw_data=b"too short"))
    onnx.save(model, path)
    with pytest.raises(CannotBench, match="could not be converted to int8-dynamic"):
        precisions.convert(path, precisions.Precision.int8_dynamic, tmp_path, {})


def test_feeds_fit_the_file():
    model = onnx.load_from_string(fixtures.read("bert"))
    made = feeds.make_feeds(model, batch=3, sizes={"sequence": 9}, seed=1)
    ids, mask = made["input_ids"], made["attention_mask"]
    assert ids.shape == mask.shape == (3, 9) and ids.dtype == np.int64 and len(np.unique(ids)) > 9 and ids.max() < 97
    assert (mask == 1).all()
    assert all(np.array_equal(value, feeds.make_feeds(model, 3, {"sequence": 9}, seed=1)[name]) for name, value in made.items())
    images = feeds.make_feeds(onnx.load_from_string(fixtures.read("digits-cnn")))["image"]
    assert images.shape == (1, 1, 8, 8) and images.dtype == np.float32 and np.std(images) > 0.5


def test_dimensions_without_a_name_and_inputs_of_other_kinds():
    graph = parser.parse_graph("g (float16[N, M] x, bool[N] b, uint8[N] u) => (float16[N, M] y) { y = Relu(x) }")
    graph.input[0].type.tensor_type.shape.dim[1].Clear()
    model = make_model(graph)
    with pytest.raises(CannotBench, match="add --dim x:1=SIZE"):
        feeds.make_feeds(model)
    made = feeds.make_feeds(model, 2, {"x:1": 5}, {"u": (250, 256)})
    assert made["x"].shape == (2, 5) and made["x"].dtype == np.float16 and made["b"].all() and made["u"].min() >= 250
    with pytest.raises(CannotBench, match="does not fit uint8"):
        feeds.make_feeds(model, 2, {"x:1": 5}, {"u": (0, 257)})
    model.graph.input[2].type.tensor_type.elem_type = TensorProto.STRING
    with pytest.raises(CannotBench, match="holds STRING"):
        feeds.make_feeds(model, 2, {"x:1": 5})
    model.graph.input[2].CopyFrom(helper.make_tensor_sequence_value_info("u", TensorProto.FLOAT, None))
    with pytest.raises(CannotBench, match="'u' is no tensor"):
        feeds.make_feeds(model, 2, {"x:1": 5})


@pytest.mark.parametrize("fixed", [False, True])
def test_bound_inputs_and_outputs_give_the_same(digits, monkeypatch, fixed):
    """The path that a GPU takes, with the CPU as the device; `fixed` buffers are those of a CUDA graph."""
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
    assert sessions.agreement([ones, ones], [ones, ones * 0.9]) == pytest.approx(20)
    assert sessions.agreement([ones], [ones[:2]]) == -np.inf
    assert sessions.agreement([ones, ones], [ones * 0.9, ones * np.nan]) == -np.inf
    assert sessions.agreement([np.arange(3)], [np.arange(3)]) == np.inf
    assert sessions.agreement([ones, ["a"], np.array(["b"])], [ones * 0.9, ["c"], np.array(["d"])]) == pytest.approx(20)


def test_data_beside_the_file_counts_and_is_found(digits, tmp_path):
    folder = tmp_path / "external"
    folder.mkdir()
    onnx.save(onnx.load(digits), folder / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=1024)
    order = bench.Order(folder / "m.onnx", precisions=[precisions.Precision.fp32, precisions.Precision.int8_dynamic], rounds=3)
    results = bench.bench(order)
    assert float(results["CPU fp32"].notes["MB"]) == pytest.approx(digits.stat().st_size / 1e6, rel=0.05)


def test_an_unsound_run_warns(digits, monkeypatch):
    real = bench.compare

    def biased(*arguments, **options):
        results = real(*arguments, **options)
        return bench.replace(
            results, control=bench.replace(results.control, seconds=tuple(2 * each for each in results.variants[0].seconds))
        )

    monkeypatch.setattr(bench, "compare", biased)
    code, out, err = course(digits, "--rounds", 12)
    assert code == 0 and "warning: The A/A interval, 2.00 to 2.00, leaves out 1" in err and "Do not trust this run" in out


def test_help_shows_every_option():
    result = CliRunner().invoke(app, ["bench", "--help"], env={"COLUMNS": "160", "TERM": "dumb"})
    assert result.exit_code == 0
    for option in ("provider", "precision", "batch", "dim", "range", "threads", "rounds", "seed", "cuda-graph", "tf32", "json", "plot"):
        assert f"--{option}" in result.stdout


def test_results_are_json_that_others_can_read(digits, tmp_path):
    assert course(digits, "--rounds", 3, "--json", tmp_path / "r.json")[0] == 0
    data = json.load(io.StringIO((tmp_path / "r.json").read_text()))
    assert set(data) >= {"schema", "card", "date", "command", "variants", "verdict", "summary", "load_average", "warm_up"}
