"""`course check --json`: what the terminal shows, as data that holds to its schema."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import nbformat
import pytest
from typer.testing import CliRunner

from nbjudge import render
from nbjudge.cli import app
from nbjudge.course import check_json
from nbjudge.course.answers import misconceptions
from nbjudge.course.ladders import Checked, Ladders
from nbjudge.verdict import MIME, TEXT_LIMIT, Failure, Rung, Verdict

ROOT = Path(__file__).resolve().parents[1]


def type_(*words):
    done = CliRunner().invoke(app, ["check", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr


def checked(*words):
    code, printed, said = type_(*words, "--json")
    data = json.loads(printed)
    jsonschema.validate(data, check_json.schema())
    assert not said
    return code, data


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A student's copy of a lab that is done with a known mistake, where its pages lie, too."""
    folder = tmp_path / "my-course" / "labs" / "day-50"
    shutil.copytree(ROOT / "labs" / "day-50" / "references", folder / "references")
    shutil.copytree(ROOT / "notebooks" / "day-50", tmp_path / "my-course" / "notebooks" / "day-50")
    shutil.copy(ROOT / "labs" / "day-50" / "shapes.ipynb", folder)
    monkeypatch.chdir(folder)
    write(
        folder / "shapes.ipynb",
        "shapes",
        """
def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):
    return (size + sum(padding) - kernel) // stride + 1


def shape_coverage(model):
    return {"static": 0, "named": 0, "unknown": 0, "missing": 0}
""",
    )
    return folder


def write(path, exercise, answer):
    """The notebook with `answer` in the place of each of its answers."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and marks.get("solution"):
            cell.source = answer
    nbformat.write(notebook, path)


def test_it_says_what_the_terminal_shows(lab):
    code, data = checked("shapes.ipynb")
    assert code == 1 and data["passed"] is False
    [notebook] = data["notebooks"]
    [check] = notebook["checks"]
    broken = check["broken"]
    shown = " ".join(type_("shapes.ipynb")[1].split())
    assert check["exercise"] == "shapes" and check["cell"] == "check-shapes"
    assert f"Rung: {broken['rung']}: " in shown
    assert f"Case: {broken['case']}" in shown and f"Expected: {broken['expected']}" in shown
    for words in (broken["found"], broken["likely_cause"], *check["also_found"]):
        assert " ".join(words.split()) in shown
    for item in check["items"]:
        assert item["title"] in shown
    states = [rung["state"] for rung in check["rungs"]]
    assert states[states.index("broken")] == "broken" and "passed" in states
    assert broken["misconception"] in misconceptions("shapes")
    again = broken["read_again"]
    assert (lab / again["address"].partition("#")[0]).is_file()
    assert again["notebook"].removeprefix("notebooks/") in again["address"]


def test_a_notebook_that_passes_ends_with_zero_and_a_draw_is_named(tmp_path):
    shutil.copy(ROOT / "solutions" / "lab-7-01" / "quantize.ipynb", tmp_path)
    code, data = checked(tmp_path / "quantize.ipynb", "--practice", "--seed", "2")
    assert code == 0 and data["passed"]
    checks = data["notebooks"][0]["checks"]
    assert len(checks) == 3
    for check in checks:
        assert check["practice_draw"] == 2 and check["broken"] is None and check["error"] is None
        assert check["score"] == check["max_score"] > 0


def test_an_error_elsewhere_and_a_check_without_a_verdict_are_told(lab):
    notebook = nbformat.read(lab / "shapes.ipynb", as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell("import no_such_package"))
    nbformat.write(notebook, lab / "shapes.ipynb")
    write(lab / "shapes.ipynb", "shapes", "answer = 1")
    code, data = checked("shapes.ipynb")
    [notebook] = data["notebooks"]
    assert code == 1
    assert any("no_such_package" in line for line in notebook["errors_elsewhere"])
    [check] = notebook["checks"]
    assert not check["passed"] and "NameError" in check["error"] and check["score"] is None


def test_one_that_cannot_be_run_does_not_keep_the_others_away(lab):
    (lab / "broken.ipynb").write_text("{")
    code, data = checked("broken.ipynb", "shapes.ipynb")
    broken, shapes = data["notebooks"]
    assert code == 2 and not data["passed"]
    assert "cannot be read as a notebook" in broken["problem"] and not broken["checks"]
    assert shapes["problem"] is None and shapes["checks"]
    code, printed, said = type_("no-such.ipynb", "--json")
    assert code == 2 and not printed and "there is no notebook no-such.ipynb" in said


def test_a_notebook_without_a_check_has_not_passed(tmp_path):
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "empty.ipynb")
    code, data = checked(tmp_path / "empty.ipynb")
    assert code == 1 and data["notebooks"][0]["checks"] == []


@pytest.mark.parametrize(
    "shown",
    [
        {},
        {MIME: None},
        {MIME: {"verdict": {}, "draw": 1}},
        {MIME: {"verdict": {"exercise": "x", "score": "9", "max_score": 3, "rungs": []}}},
        {MIME: [1]},
    ],
)
def test_what_a_kernel_says_is_read_as_untrusted(shown):
    """It is the student's own; what is no verdict counts as none."""
    from nbjudge.course import ladders

    output = nbformat.v4.new_output("display_data", data={"text/plain": "", **shown})
    cell = nbformat.v4.new_code_cell('check("x", f)', outputs=[output])
    cell.metadata["nbgrader"] = {"grade": True, "solution": False, "grade_id": "check-x"}
    assert ladders._verdict(cell) == (None, None)


def test_nothing_in_it_drives_a_terminal_and_texts_are_bounded():
    odd = "\x1b[31m\u202e" + "x" * 5000
    rung = Rung("exists", False, case=odd, found=odd, expected=odd, failed=(Failure(odd, odd),))
    verdict = Verdict(odd, 0, 1, (rung,))
    check = Checked(cell=odd, exercise=odd, passed=False, verdict=verdict, error=odd)
    data = check_json.report([(Path(odd), Ladders("", False, notes=(odd,), checks=(check,)))])
    jsonschema.validate(data, check_json.schema())

    def texts(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            for each in value.values() if isinstance(value, dict) else value:
                yield from texts(each)

    for text in texts(data):
        assert text.isprintable() and len(text) <= TEXT_LIMIT == render.TEXT_LIMIT


def test_a_notebook_in_jupyterlab_keeps_no_data_of_it(monkeypatch):
    from nbjudge import display, typed

    monkeypatch.delenv(typed.TYPED, raising=False)
    ladder = display._Ladder(Verdict("x", 0, 1, ()), "")
    assert ladder._repr_mimebundle_().keys() == {"text/plain", "text/html"}


def test_it_needs_no_jupyterlab_and_no_nbgrader(lab):
    """Where they are not installed, as in the part for students."""
    absent = ["jupyterlab", "jupyter_server", "nbgrader", "notebook"]
    code = (
        "import importlib.machinery, sys\n"
        "class Finder(importlib.machinery.PathFinder):\n"
        "    @classmethod\n"
        "    def find_spec(cls, name, path=None, target=None):\n"
        f"        absent = name.partition('.')[0] in {absent}\n"
        "        return None if absent else super().find_spec(name, path, target)\n"
        "sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Finder\n"
        "sys.argv = ['course', 'check', 'shapes.ipynb', '--json']\n"
        "from nbjudge.cli import main\nmain()\n"
    )
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, cwd=lab, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 1, done.stderr
    jsonschema.validate(json.loads(done.stdout), check_json.schema())
