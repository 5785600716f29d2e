"""The line of Day 50: what its cells assert can fail. Each test runs cells of a page, as they stand,
on a BERT of two layers in MiniLM's place, and then again with a mistake in them.
"""

import copy
import json
import re
from pathlib import Path

import nbformat
import numpy as np
import onnx
import onnxruntime
import pytest
import torch
import transformers
from onnx import TensorProto, helper
from onnx.checker import ValidationError
from onnx.shape_inference import InferenceError
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidGraph

from formatlab.models import build, fixtures

ROOT = Path(__file__).resolve().parents[1]
PAGES = {path.stem: path for path in (ROOT / "notebooks" / "day-50").glob("line-*.ipynb")}


class Page:
    """Cells of a page, by their ids, run in one namespace."""

    def __init__(self, name: str, folder: Path):
        cells = nbformat.read(PAGES[name], as_version=4).cells
        self.sources = {cell.id: cell.source for cell in cells if cell.cell_type == "code"}
        self.names: dict = {"__name__": name}
        [setup] = [source for cell, source in self.sources.items() if cell.endswith("-setup")]
        # What it switches off in this process would stay off for other tests.
        kept = re.sub(r"^(?:logging|warnings|ort)\..*$", "", setup, flags=re.MULTILINE)
        exec(kept, self.names)
        self.names["folder"] = folder
        self.names["model"] = build.small_bert().eval()

    def run(self, cell: str, *mistake: str) -> None:
        """Run a cell, with the first text of `mistake` replaced by the second. The tokens are those
        of the small model.
        """
        source = self.sources[cell].replace("randint(1000, 30000", "randint(1, 97")
        if mistake:
            assert mistake[0] in source
            source = source.replace(*mistake)
        exec(source, self.names)


@pytest.fixture
def part_3(tmp_path):
    """Up to the file in training mode, which is that of the small model."""
    (tmp_path / "training.onnx").write_bytes(fixtures.read("bert-dropout"))
    page = Page("line-3-ship", tmp_path)
    page.run("l3-same")
    return page


def test_the_surgery_of_part_3_is_proved(part_3, capsys):
    part_3.run("l3-without")
    part_3.run("l3-proof")
    assert "before and 0 after" in capsys.readouterr().out


# An assertion of the page, the checker, or a session that cannot read the file.
STOPS = (AssertionError, ValidationError, InferenceError, Fail, InvalidGraph)
SURGERY = {
    "nothing is removed": ('node.op == "Dropout"', 'node.op == "dropout"'),
    "readers are not rewired": ("list(dropped.outputs)", "[]"),
    "one reader is left": ("list(dropped.outputs)", "list(dropped.outputs)[1:]"),
    "readers read the mask's switch": (
        "value, dropped = node.inputs[0]",
        "value, dropped = node.inputs[1]",
    ),
    "every input is replaced": ("value if each is dropped else each", "value"),
    "the tutorial's line": ("node.outputs.clear()", "value.outputs = node.outputs"),
}


@pytest.mark.parametrize("mistake", SURGERY.values(), ids=SURGERY)
def test_a_mistake_in_the_surgery_of_part_3_stops_the_page(part_3, mistake):
    """In the cell that operates, or in the one that proves."""
    with pytest.raises(STOPS):
        part_3.run("l3-without", *mistake)
        part_3.run("l3-proof")


def test_a_surgery_that_keeps_the_graph_valid_fails_at_the_proof(part_3):
    """It moves one number of one bias by a thousandth, which the checker accepts."""
    part_3.names["shift"] = shift
    part_3.run("l3-without", "onnx.save(mended", "shift(mended); onnx.save(mended")
    with pytest.raises(AssertionError):
        part_3.run("l3-proof")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LEVELS.ORT_DISABLE_ALL))\nprint", "LEVELS.ORT_ENABLE_ALL))\nprint"),
        ('folder / "training.onnx", LEVELS', 'folder / "mended.onnx", LEVELS'),
    ],
    ids=["the session mends the control", "the control is the candidate"],
)
def test_a_control_that_controls_nothing_stops_the_page(part_3, old, new):
    part_3.run("l3-without")
    with pytest.raises(AssertionError):
        part_3.run("l3-proof", old, new)


@pytest.fixture
def part_2(tmp_path):
    """Up to the five calls, with the file of the small model in evaluation mode."""
    page = Page("line-2-prove", tmp_path)
    for cell in ("l2-truth", "l2-five"):
        page.run(cell)
    page.names["file"] = onnx.load_from_string(fixtures.read("bert"))
    page.names["rounded"] = build.small_bert().eval().half().float()
    return page


def verdict(page, file=None, control=None):
    names = page.names
    return names["validate"](file or names["file"], control or names["rounded"])


def test_the_five_calls_of_part_2_accept_a_right_file(part_2):
    assert verdict(part_2) == "fit to ship"


def changed(model, change):
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    change(copy)
    return copy


def rename(model):
    model.graph.node[-1].input[0] = "lost"


def newest(model):
    model.ir_version = onnx.IR_VERSION


def fix_a_size(model):
    """Some Reshape goes to a fixed shape, as where an exporter took a size for a constant."""
    node = next(node for node in model.graph.node if node.op_type == "Reshape")
    node.input[1] = "fixed"
    model.graph.initializer.append(
        helper.make_tensor("fixed", TensorProto.INT64, [4], [1, 20, 4, 12])
    )


def shift(model):
    bias = next(each for each in model.graph.initializer if each.name.endswith("output.dense.bias"))
    values = onnx.numpy_helper.to_array(bias).copy()
    values[3] += 0.001
    bias.CopyFrom(onnx.numpy_helper.from_array(values, bias.name))


@pytest.mark.parametrize(
    ("change", "call", "says"),
    [
        (rename, "checker", "however input 'lost'"),
        (newest, "session", "Unsupported model IR version"),
        (fix_a_size, "other sizes", "while running Reshape node. Name:"),
        (shift, "comparison", ""),
    ],
)
def test_each_call_of_part_2_stops_a_file_and_says_where(part_2, change, call, says):
    found = verdict(part_2, changed(part_2.names["file"], change))
    assert found.startswith(call), found
    assert says in found


def test_part_2_refuses_a_file_in_training_mode_although_a_session_would_mend_it(part_2):
    """What is copied from the page has to test the graph that is in the file."""
    given = onnx.load_from_string(fixtures.read("bert-dropout"))
    assert verdict(part_2, given).startswith("comparison")


def test_a_control_that_changes_nothing_is_refused_by_part_2(part_2):
    assert verdict(part_2, control=part_2.names["model"]).startswith("control")


@pytest.fixture
def part_1(tmp_path):
    """The two functions of the recipe."""
    page = Page("line-1-export", tmp_path)
    source = page.sources["l1-checked"]
    page.sources["l1-checked"] = source[: source.index("\n\n\n")]
    page.run("l1-export")
    page.run("l1-checked")
    return page


TEXTS = {0: "batch", 1: "length"}


def saved(folder, opset=18, axes=("batch", "length"), domain=""):
    """The file of a model that reads `x` with these axes, and writes `y` with `batch` alone open."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [*axes, 4])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [axes[0], 2])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    imports = [helper.make_opsetid("com.microsoft", 1), helper.make_opsetid(domain, opset)]
    path = folder / "made.onnx"
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=imports), path)
    return path


@pytest.mark.parametrize("domain", ["", "ai.onnx"])
def test_part_1_reads_the_opset_of_the_default_domain(part_1, tmp_path, domain):
    part_1.names["checked"](saved(tmp_path, domain=domain), 18, {"x": TEXTS, "y": {0: "batch"}})


def test_part_1_accepts_other_axes_for_each_value(part_1, tmp_path):
    """As of a classifier, and of an input of which one size is fixed."""
    checked = part_1.names["checked"]
    checked(saved(tmp_path), 18, {"x": TEXTS, "y": {0: "batch"}})
    checked(saved(tmp_path, axes=("batch", 9)), 18, {"x": {0: "batch"}, "y": {}})
    checked(saved(tmp_path, axes=(3, "length")), 18, {"x": {1: "length"}, "y": {}})


@pytest.mark.parametrize(
    ("made", "says"),
    [
        ({"opset": 17}, "got 17"),
        ({"axes": (3, "length")}, "got {0: 3"),
        ({"axes": ("3", "length")}, "got {0: '3'"),
        ({"axes": ("batch", 9)}, "1: 9}"),
        ({"axes": ("length", "batch")}, "got {0: 'length'"),
        ({"axes": ("s0", "s1")}, "got {0: 's0'"),
    ],
)
def test_part_1_refuses_a_file_that_is_not_what_was_asked_for(part_1, tmp_path, made, says):
    with pytest.raises(AssertionError, match=re.escape(says)):
        part_1.names["checked"](saved(tmp_path, **made), 18, {"x": TEXTS, "y": {0: "batch"}})


@pytest.mark.parametrize("axes", [{"x": TEXTS}, {"x": TEXTS, "z": {}}])
def test_part_1_refuses_to_check_values_that_were_not_named(part_1, tmp_path, axes):
    with pytest.raises(AssertionError, match="the file has"):
        part_1.names["checked"](saved(tmp_path), 18, axes)


class Classifier(torch.nn.Module):
    """Two numbers for each text."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(97, 8)
        self.dropout = torch.nn.Dropout(0.5)
        self.head = torch.nn.Linear(8, 2)

    def forward(self, input_ids, attention_mask):
        states = self.table(input_ids) * attention_mask[..., None]
        return self.head(self.dropout(states.sum(dim=1)))


class Encoder(torch.nn.Module):
    """One that the default exporter refuses."""

    def __init__(self):
        super().__init__()
        sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
        self.t5 = transformers.T5EncoderModel(transformers.T5Config(vocab_size=97, **sizes))

    def forward(self, input_ids, attention_mask):
        return self.t5(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


def example(rows):
    ids = torch.arange(1, 1 + 7 * rows).reshape(rows, 7)
    return ids, torch.ones_like(ids)


def proved(page, model, file):
    """What the five calls of part 2 say of a file of the model."""
    part_2 = Page("line-2-prove", page.names["folder"])
    part_2.names["model"] = model.eval()
    for cell in ("l2-truth", "l2-five"):
        part_2.run(cell)
    return part_2.names["validate"](file, copy.deepcopy(model).half().float())


def test_a_classifier_goes_through_the_recipes_as_they_stand(part_1, tmp_path):
    """It is in training mode, and gets one file without a Dropout."""
    part_1.names["OPEN"]["states"] = {0: "batch"}
    model = Classifier().train()
    file = part_1.names["export"](model, example(3), tmp_path / "classifier.onnx")
    assert [path.name for path in tmp_path.iterdir()] == ["classifier.onnx"]
    assert not any(node.op_type == "Dropout" for node in file.graph.node)
    assert proved(part_1, model, file) == "fit to ship"


def test_a_model_that_the_default_exporter_refuses_goes_through_the_older_one(part_1, tmp_path):
    """If the first half fails, the exporter has learned it: take another model."""
    model, path = Encoder(), tmp_path / "t5.onnx"
    with pytest.raises(torch.onnx.errors.OnnxExporterError):
        part_1.names["export"](model, example(3), path)
    file = part_1.names["export"](model, example(3), path, dynamo=False)
    assert proved(part_1, model, file) == "fit to ship"


def test_part_1_refuses_an_example_of_one_row(part_1, tmp_path):
    with pytest.raises(AssertionError, match=r"input_ids needs 2 or more along its axes \[0\]"):
        part_1.names["export"](Classifier(), example(1), tmp_path / "one.onnx")


def test_the_note_of_part_3_names_fixed_sizes_and_the_sizes_of_inputs(tmp_path):
    """Of an image, whose file has one open axis."""
    image, logits = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *sizes])
        for name, sizes in (("image", (3, 8, 8)), ("logits", (10,)))
    )
    graph = helper.make_graph([], "g", [image], [logits])
    page = Page("line-3-ship", tmp_path)
    shipped = tmp_path / "shipped.onnx"
    shipped.touch()
    page.names |= {
        "clean": helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]),
        "graph": graph,
        "shipped": shipped,
        "runs": [((torch.zeros(rows, 3, 8, 8),), None, np.zeros((rows, 10))) for rows in (1, 3)],
        "control": False,
        "compared": lambda function: (True, 1.0),
        "runner": lambda path, level: None,
        "LEVELS": onnxruntime.GraphOptimizationLevel,
    }
    page.run("l3-note")
    note = json.loads((tmp_path / "shipped.json").read_text())
    assert note["inputs"] == {"image": ["batch", 3, 8, 8]}
    assert note["sizes tried"] == {"image": [[1, 3, 8, 8], [3, 3, 8, 8]]}
