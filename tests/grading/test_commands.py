"""What people type by mistake ends in one line that says what to do, never in a traceback."""

import contextlib
import json
import shutil

import nbformat
import pytest
from typer.testing import CliRunner

from nbjudge.cli import app


def course(*words, cwd):
    """In this process: a new one takes seconds to import what nbgrader needs."""
    with contextlib.chdir(cwd):
        return CliRunner().invoke(app, list(map(str, words)))


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        "[" * 100_000,
        "\xff",
        '{"nbformat": 4}',
        '{"nbformat": 99}',
        '{"nbformat": 3, "worksheets": []}',
        '{"nbformat": 4, "nbformat_minor": 5, "metadata": [], "cells": []}',
        *(
            f'{{"nbformat": 4, "nbformat_minor": 5, "metadata": {{}}, "cells": [{cell}]}}'
            for cell in ("1", '{"source": [1]}', '{"source": "", "metadata": {"nbgrader": true}}')
        ),
    ],
    ids=lambda text: text[:60],
)
def test_a_damaged_notebook_is_no_bug_of_ours(text, tmp_path):
    (tmp_path / "broken.ipynb").write_text(text, "latin-1")
    done = course("check", "broken.ipynb", cwd=tmp_path)
    assert done.exit_code == 2 and done.stderr.count("\n") == 1
    assert "broken.ipynb cannot be read as a notebook (" in done.stderr


def test_a_file_that_stands_in_for_a_library_is_named(tmp_path):
    cells = [
        nbformat.v4.new_code_cell("import colorsys\nfrom numbers import Integral"),
        nbformat.v4.new_code_cell("check()", metadata={"nbgrader": {"grade": True}}),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "lab.ipynb")
    for name in ("colorsys", "unused", "json"):
        (tmp_path / f"{name}.py").touch()
    done = course("check", "lab.ipynb", cwd=tmp_path)
    named = [line for line in done.stdout.splitlines() if "instead of the library" in line]
    assert named == [
        "colorsys.py is imported instead of the library colorsys: give the file another name"
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "missing.ipynb"], "there is no notebook"),
        (["check"], "there is no notebook here"),
        (["check", "broken.ipynb"], "cannot be read as a notebook"),
        (["grade", "day-50"], "nothing published"),
        (["export", "grades.csv"], "has no gradebook"),
        (["submit", "empty"], "holds no notebook"),
        (["submit", "missing"], "there is no folder"),
        (
            ["submit", "broken.ipynb"],
            "is a file, and a lab is handed in whole: type `course submit",
        ),
        (["submit", "labs"], "labs/day-50`"),
        (["submit", "labs/day-50", "--zip", "."], "is a folder: name a file"),
        (["collect", "day-50"], "nothing was published"),
        (["collect", "day-50", "--zip", "missing.zip"], "missing.zip"),
        (["feedback", "day-50"], "course grade day-50"),
        (["release", "nope"], "is known as a course's folder by"),
        (["publish"], "is known as a course's folder by"),
        (["lab"], "is known as a course's folder by"),
    ],
    ids=str,
)
def test_a_mistake_outside_a_checkout_is_explained(words, said, tmp_path):
    (tmp_path / "broken.ipynb").write_text("{")
    (tmp_path / "empty").mkdir()
    (tmp_path / "labs/day-50").mkdir(parents=True)
    (tmp_path / "labs/day-50/dropout.ipynb").write_text("{}")
    folder = tmp_path / "here" if words == ["check"] else tmp_path
    folder.mkdir(exist_ok=True)
    done = course(*words, cwd=folder)
    assert done.exit_code == 2
    assert (
        said in done.stderr
        and done.stderr.count("\n") == 1
        and "Traceback" not in done.stderr + done.stdout
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["release", "nope"], "no assignment 'nope'; it has: day-50"),
        (["publish", "nope"], "no assignment 'nope'"),
        (["grade", "nope"], "no assignment 'nope'"),
        (["grade", "day-50", "--submitted", "nowhere"], "should look like"),
    ],
    ids=str,
)
def test_a_mistake_inside_a_checkout_is_explained(project, words, said, tmp_path):
    done = course(
        *words,
        *([] if words[0] == "release" else ["--course", tmp_path / "course"]),
        cwd=project.root,
    )
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split()) and "Traceback" not in done.stderr


def test_check_shows_the_ladder_of_a_lab_in_a_terminal(project, tmp_path):
    lab = shutil.copytree(project.labs / "day-50", tmp_path / "day-50")
    before = (lab / "inspect.ipynb").read_bytes()
    done = course("check", lab / "inspect.ipynb", cwd=tmp_path)
    assert done.exit_code == 1 and "exists" in done.stdout and "the stub" in done.stdout
    assert (lab / "inspect.ipynb").read_bytes() == before


def test_check_names_the_cell_whose_error_is_behind_an_unknown_name(project, tmp_path):
    """A notebook shows that error below the cell; a terminal shows the checks alone."""
    lab = shutil.copytree(project.labs / "day-50", tmp_path / "day-50") / "inspect.ipynb"
    notebook = json.loads(lab.read_text())
    cell = next(
        cell for cell in notebook["cells"] if "raise NotImplementedError" in "".join(cell["source"])
    )
    cell["source"] = "x = 1\ndef describe(model directory):\n    return 1"
    lab.write_text(json.dumps(notebook))
    done = course("check", lab, cwd=tmp_path)
    assert done.exit_code == 1 and "NameError" in done.stdout
    assert "the cell “describe”, ended with SyntaxError: " in done.stdout
    assert "line 2 of the cell" in done.stdout


def test_check_in_a_terminal_says_what_to_type(project, tmp_path):
    lab = shutil.copytree(project.labs / "day-50", tmp_path / "day-50") / "inspect.ipynb"
    assert "then type the command again" in course("check", lab, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("content", "said"),
    [("", "is no notebook any more"), ('{"cells": []}', "has a cell that is graded")],
)
def test_a_submission_that_earns_nothing_is_doubted(tmp_path, content, said):
    lab = tmp_path / "day-50"
    lab.mkdir()
    (lab / "dropout.ipynb").write_text(content)
    done = course("submit", lab, cwd=tmp_path)
    assert done.exit_code == 0 and said in done.stderr and "packed day-50" in done.stdout


def test_every_command_explains_itself(tmp_path):
    for command in (
        "lab",
        "check",
        "doctor",
        "release",
        "publish",
        "submit",
        "collect",
        "grade",
        "feedback",
        "export",
    ):
        assert course(command, "--help", cwd=tmp_path).exit_code == 0
