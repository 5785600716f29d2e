"""What `course diff` prints and writes: words, JSON, a page, and its exit status."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, parser
from typer.testing import CliRunner

import formatlab
from formatlab.cli import app
from formatlab.diff import json_report
from formatlab.diff.changes import FIRST, Kind
from formatlab.models import make_model, museum
from formatlab.models.fixtures import FOLDER
from tests.diff.diff_edits import EDITS, copy, disguised, drawn

ROOT = Path(__file__).resolve().parents[2]
BERT, DROPOUT = FOLDER / "bert.onnx", FOLDER / "bert-dropout.onnx"


def ran(*arguments):
    return CliRunner().invoke(app, ["diff", *map(str, arguments)])


def written(folder, **models):
    paths = []
    for name, model in models.items():
        path = folder / f"{name}.onnx"
        path.write_bytes(model.SerializeToString())
        paths.append(path)
    return paths


def test_the_same_model_prints_nothing_and_ends_with_0(tmp_path):
    a, b = written(tmp_path, a=drawn(3), b=disguised(drawn(3), 1))
    done = ran(a, b)
    assert (done.exit_code, done.output) == (0, "")
    told = ran(a, b, "--verbose")
    assert told.exit_code == 0
    assert "Nothing changed but" in told.stdout


def test_another_model_is_told_and_ends_with_1():
    done = ran(DROPOUT, BERT, "--inputs", "0")
    assert done.exit_code == 1
    assert "One thing changed." in done.stdout
    assert "7 Dropout nodes were removed" in " ".join(done.stdout.split())
    assert "104 nodes are the same ones, of 111 in A and 104 in B." in done.stdout


def test_verbose_names_each(tmp_path):
    done = ran(DROPOUT, BERT, "--inputs", "0", "-v")
    assert done.stdout.count("was removed; what read it reads") == 7


def test_json_is_as_its_schema_says(tmp_path):
    schema = json_report.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    done = ran(DROPOUT, BERT, "--inputs", "0", "--json", "-")
    data = json.loads(done.stdout)
    validator.validate(data)
    assert (data["schema"], data["same"], data["changes"][0]["count"]) == (1, False, 7)
    for seed, edit in enumerate(EDITS):
        model = drawn(seed)
        edited = edit(copy(model), np.random.default_rng(seed))
        if edited is not None:
            found = formatlab.diff(model, edited.model, inputs=0)
            validator.validate(json.loads(json.dumps(found.to_json(), allow_nan=False)))
    same = formatlab.diff(drawn(0), drawn(0)).to_json()
    validator.validate(same)
    assert same["same"]


def test_json_with_runs_is_as_its_schema_says():
    from tests.diff.test_diff_pairs import disturbed, made

    found = formatlab.diff(made(), disturbed())
    data = json.loads(json.dumps(found.to_json(), allow_nan=False))
    jsonschema.Draft202012Validator(json_report.schema()).validate(data)
    assert data["agreement"]["verdict"] == "other"
    assert data["agreement"]["first"]


def test_json_and_page_are_written_where_they_are_asked_for(tmp_path):
    page, data = tmp_path / "page.html", tmp_path / "data.json"
    done = ran(DROPOUT, BERT, "--inputs", "0", "--html", page, "--json", data)
    assert done.exit_code == 1
    assert "One thing changed." in done.stdout
    assert json.loads(data.read_text())["headline"] == "One thing changed."
    assert page.read_text().startswith("<!doctype html>")
    there = tmp_path / "not" / "there.html"
    done = ran(DROPOUT, BERT, "--inputs", "0", "--html", there)
    assert done.exit_code == 2
    assert len(done.stderr.strip().splitlines()) == 1


def test_every_kind_has_its_place_and_its_word_in_the_docs():
    assert set(FIRST) == set(Kind)
    guide = (ROOT / "docs" / "diff.md").read_text()
    for kind in Kind:
        assert f"| {kind.value} |" in guide, kind
    described = json_report.schema()["$defs"]["change"]["properties"]["kind"]["description"]
    assert set(re.findall(r"[a-z]+", described)) >= {kind.value for kind in Kind}


def test_the_page_fetches_nothing_and_holds_no_script():
    text = formatlab.diff(DROPOUT, BERT, inputs=0).html
    assert not re.search(r"<script|https?://|src=|@import|url\(", text)
    assert text.count('class="removed"') >= 7
    assert text.count(">removed<") >= 7  # in words too


def test_subgraphs_are_frames_inside_the_page():
    specimen = museum.build("dangling-in-branch", 0)
    whole = specimen.repair(dict(specimen.files))
    found = formatlab.diff(whole[specimen.main], specimen.files[specimen.main], inputs=0)
    assert found.html.count("<fieldset>") == 2
    assert "which nothing writes" in found.html


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_a_phone_and_a_desk(width, tmp_path):
    from playwright.sync_api import sync_playwright

    from tests.chromium import CHROMIUM, FLAGS

    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    specimen = museum.build("dangling-in-branch", 0)
    whole = specimen.repair(dict(specimen.files))
    found = formatlab.diff(whole[specimen.main], specimen.files[specimen.main], inputs=0)
    page = tmp_path / "page.html"
    page.write_text(found.html, encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        shown = browser.new_page(viewport={"width": width, "height": 900})
        shown.goto(page.as_uri())
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        cards = shown.locator(".card").evaluate_all(
            "each => each.filter(e => e.scrollWidth > e.clientWidth + 1).length"
        )
        assert cards == 0
        browser.close()


def test_a_notebook_shows_a_fragment_and_a_terminal_the_text():
    found = formatlab.diff(DROPOUT, BERT, inputs=0)
    assert repr(found).startswith("One thing changed.\n- 7 Dropout nodes were removed")
    shown = found._repr_html_()
    assert "<html" not in shown
    assert "7 Dropout nodes were removed" in shown


def test_paths_bytes_and_models_are_taken():
    data = BERT.read_bytes()
    for other in (str(BERT), BERT, data, ModelProto.FromString(data)):
        assert formatlab.diff(BERT, other).is_same


ROWS = (1 << 19) + 1000
FEW_ROWS = 9000


def large(folder, name, change=None, rows=ROWS):
    """A model whose one weight takes more than 2 GiB of a file that has no blocks on the disk."""
    folder.mkdir()
    with open(folder / "weights.bin", "wb") as file:
        file.truncate(rows * 1024 * 4)
        for at, value in (change or {}).items():
            file.seek(at)
            file.write(value)
    weight = TensorProto(name="w", dims=[rows, 1024], data_type=TensorProto.FLOAT)
    weight.data_location = TensorProto.EXTERNAL
    for key, value in {"location": "weights.bin", "offset": 0, "length": rows * 4096}.items():
        weight.external_data.add(key=key, value=str(value))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, rows])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1024])
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    model = make_model(helper.make_graph(nodes, "g", [x], [y], [weight]))
    path = folder / name
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.slow
def test_more_than_two_gigabytes_are_compared_by_path(tmp_path):
    """In half of the memory that one of the two weights takes. Nothing is run: they are too large."""
    a = large(tmp_path / "a", "a.onnx")
    b = large(tmp_path / "b", "b.onnx", {(1 << 31) + 4096: np.float32(7).tobytes()})
    # The same file under two names is not read at all.
    os.link(a, tmp_path / "a" / "other.onnx")
    code = (
        "import resource, sys\n"
        "from formatlab.diff import diff\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))\n"
        "same, other = diff(sys.argv[1], sys.argv[2]), diff(sys.argv[1], sys.argv[3])\n"
        "print(same); print(other)\n"
    )
    arguments = [str(a), str(tmp_path / "a" / "other.onnx"), str(b)]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[0] == "The two models are the same."
    assert f"1 of its {ROWS * 1024} numbers changed" in done.stdout
    assert "Nothing was run, because the two hold 4" in done.stdout


def test_the_example_of_the_docs_is_what_is_said():
    """But for numbers that depend on the processor."""
    from tests.diff.test_diff_pairs import disturbed, fused, made

    def rough(text):
        return re.sub(r"[\d.]+e[+-]\d+|\b\d+ dB|: [\d.]+ times", "#", " ".join(text.split()))

    guide = rough((ROOT / "docs" / "diff.md").read_text())
    for after in (fused(), disturbed()):
        assert rough(formatlab.diff(made(), after).text) in guide


def test_weights_of_two_files_are_compared_in_parts(tmp_path):
    a = large(tmp_path / "a", "a.onnx", {4: np.float32(-3).tobytes()}, FEW_ROWS)
    b = large(tmp_path / "b", "b.onnx", {FEW_ROWS * 4000: np.float32(4).tobytes()}, FEW_ROWS)
    found = formatlab.diff(a, b, inputs=0)
    [change] = found.changes
    assert change.details["changed"] == 2
    assert f"2 of its {FEW_ROWS * 1024} numbers changed, by 4 at most" in change.text
    assert formatlab.diff(a, a, inputs=0).is_same


def test_one_node_is_spoken_of_as_one():
    before = make_model(
        parser.parse_graph("g (float[2] x) => (float[2] y) { h = Relu(x) y = Neg(h) }")
    )
    after = make_model(
        parser.parse_graph("g (float[2] x) => (float[2] y) { h = Relu(x) y = Abs(h) }")
    )
    found = formatlab.diff(before, after, inputs=0)
    assert "\n1 node is the same one, of 2 in A and 2 in B." in found.text
