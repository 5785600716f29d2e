"""An exercise from nothing, in an empty folder outside the checkout, with the package as it is
installed.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import nbformat
import pytest

from nbjudge.course import new_exercise

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "write-an-exercise.md").read_text()
pytestmark = pytest.mark.xdist_group("new-exercise")


def run(command: str, folder: Path) -> subprocess.CompletedProcess:
    done = subprocess.run(["bash", "-ec", command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done


def refused(command: str, folder: Path) -> str:
    done = subprocess.run(["bash", "-ec", command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    folder = tmp_path_factory.mktemp("empty")
    run("course new-exercise my_windows --assignment week-1", folder)
    return folder


def test_it_is_complete(fresh):
    modules = list((fresh / "exercises").rglob("*.py"))
    assert {path.relative_to(fresh / "exercises/my_windows").as_posix() for path in modules} == {
        "ask.py",
        "judge/marks.py",
        *(f"answers/{name}.py" for name in ("empty", "valid_loop", "steps", "rounds_up")),
    }
    lab = nbformat.read(fresh / "solutions/week-1/my_windows.ipynb", 4)
    nbformat.validate(lab)


def test_no_seed_gives_a_wrong_rule_full_marks(fresh):
    """The page's own rule, kept by its example: a mark must not depend on luck."""
    lines = (
        "import numpy as np",
        "from nbjudge import exercises",
        'exercises.get("my_windows")',
        "from exercises.my_windows.judge.marks import JUDGE",
        "for seed in range(300):",
        "    cases = JUDGE.drawn(np.random.default_rng(seed)).values()",
        "    right = [(size - width) // stride + 1 for size, width, stride in cases]",
        "    assert right != [size // stride for size, _, stride in cases], seed",
        "    assert right != [size // width for size, width, _ in cases], seed",
    )
    (fresh / "lucky.py").write_text("\n".join(lines))
    run("python lucky.py", fresh)


def test_its_answers_get_what_they_declare_and_its_release_works(fresh):
    said = run("course answers my_windows && course release week-1", fresh).stdout
    assert (
        "steps: 0 of 4, loses fits, rest, one: numerics (first-window-forgotten)" in said
        and "rounds_up: 2.8 of 4, loses rest: numerics (last-window-cut-off)" in said
        and "valid_loop: 4 of 4, every rung passed" in said
    )
    # What its two wrong answers leave to the author, and nothing else.
    assert re.findall("no answer.*", said) == ["no answer earns something and loses: fits, one"]
    assert "raise NotImplementedError" in (fresh / "labs/week-1/my_windows.ipynb").read_text()


def test_an_answer_that_gets_something_else_is_named(fresh, tmp_path):
    copy = shutil.copytree(fresh, tmp_path / "copy")
    path = copy / "exercises/my_windows/answers/rounds_up.py"
    path.write_text(path.read_text().replace('["rest"]', '["one"]'))
    right = path.with_name("valid_loop.py")
    declared = '"loses": ["fits"], "rung": "numerics", "shows": "first-window-forgotten"'
    right.write_text(right.read_text().replace('"rung": None', declared))
    done = subprocess.run(
        ["course", "answers", "my_windows"], cwd=copy, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "rounds_up: it gets the item rest lost, the item one earned, not as d" in done.stdout
    assert "the item fits earned, not as declared; no broken rung, not the rung n" in done.stdout
    assert "the misconception without a name, not first-window-forgotten" in done.stdout


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("ask.py", "\nclass Windows(", "my_windows/ask.py, line 2: SyntaxError: "),
        ("judge/marks.py", "import nothing_of_this_name", "marks.py, line 1: ModuleNotFoundError"),
        ("judge/marks.py", "1 / 0", "marks.py, line 1: ZeroDivisionError: division by zero"),
        ("judge/marks.py", "", "my_windows/judge/marks.py defines no JUDGE"),
    ],
    ids=["syntax", "module", "exception", "nothing"],
)
def test_an_exercise_that_cannot_be_imported_is_named_with_its_line(
    fresh, tmp_path, file, text, words
):
    copy = shutil.copytree(fresh, tmp_path / "copy")
    (copy / "exercises/my_windows" / file).write_text(text)
    assert words in refused("course answers my_windows", copy)


MARKS, ASK = "exercises/my_windows/judge/marks.py", "exercises/my_windows/ask.py"
EMPTY = "exercises/my_windows/answers/empty.py"
LAB = "solutions/week-1/my_windows.ipynb"
SHOWS = "    return values.given(view) == values.wanted(view) - 1"


def changed(folder: Path, target: Path, file: str, old: str, new: str) -> Path:
    """A copy of the course in which one text is another one."""
    copy = shutil.copytree(folder, target / "copy")
    text = (copy / file).read_text()
    assert text.count(old) == 1
    (copy / file).write_text(text.replace(old, new))
    return copy


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (MARKS, SHOWS, "    return {}['no']", "in first_window_forgotten: KeyError: 'no' (rung numerics"),
        (MARKS, SHOWS, "    import no_such", "ModuleNotFoundError: No module named 'no_such' (rung"),
        (MARKS, "int(rng.integers(3, 7))", "rng.integers(3, 7)", "'arguments' that is no plain JSON"),
        (MARKS, "        whole = ", "        1 / 0\n        whole = ", "in drawn: ZeroDivisionError"),
        (MARKS, '"one": [width, width, stride]', '"one": width', "the case 'one' has int as its arg"),
        (MARKS, '"long": [', '"fits": [0, 0, 1], "long": [', "exercises/my_windows: two cases are called 'fits'"),
        (MARKS, '"numerics",', '"type",', "two rungs are called 'type'"),
        (MARKS, "points=1.2", "points=1.3", "its items give 4.1 points together, and the judge says points = 4"),
        (MARKS, '("rest", "longer")', '("rest", "no")', "the item 'rest' names the case 'no', and there is none"),
        (MARKS, '("rest", "longer")', '("rest",)', "the item 'rest' names no hidden case"),
        (MARKS, '("one",)', '("one", "long")', "both give points for the case 'long'"),
        (MARKS, '    """The quotient', '    1\n    """The quotient', "first_window_forgotten has no docstring"),
        (ASK, "minutes =", "time =", "exercises/my_windows/ask.py: EXERCISE has no `minutes`"),
        (LAB, '"cells": [', '"cells": [,', "my_windows.ipynb is no notebook: "),
        (LAB, "return (size", "return ((size", "cell 3 of the notebook ends with SyntaxError"),
        (LAB, "return (size", "return (size.x", "it raises AttributeError: 'int' object has no"),
    ],
)  # fmt: skip
def test_a_mistake_of_the_author_is_named_with_its_place(fresh, tmp_path, file, old, new, words):
    said = refused("course answers my_windows", changed(fresh, tmp_path, file, old, new))
    assert words in said and "Traceback" not in said


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("#ideas", "#idaes", "my_windows.ipynb has no section 'idaes'"),
        ("week-1/my_windows#", "week-1/windows#", "there is no notebooks/week-1/windows.ipynb"),
        (
            "\n\nclass",
            '\n@misconception(READ)\ndef other(view):\n    """No."""\n\n\nclass',
            "no answer shows: other",
        ),
    ],
)
def test_answers_find_what_students_would_not_reach(fresh, tmp_path, old, new, words):
    copy = changed(fresh, tmp_path, MARKS, old, new)
    done = subprocess.run(
        ["course", "answers", "my_windows"], cwd=copy, capture_output=True, text=True
    )
    assert done.returncode == 1 and words in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (MARKS, "points=1.2", "points=1.3", "its items give 4.1 points together"),
        (EMPTY, '"everything"', '["fits"]', "it does none of the work and earns the item 'one': give this item"),
        (MARKS, '{"fits": [12, 4, 4], "rest": [13, 4, 3]}', "{}", "the item 'fits' names the case 'fits', and there is none"),
        (LAB, "### BEGIN SOLUTION", "### BEGIN SOLUTON", "cell 3 (my-windows) holds `### END SOLUTION` without `### BEGIN SOLUTION` above it"),
        (LAB, "### END SOLUTION", "### END SOLUTON", "cell 3 (my-windows) holds `### BEGIN SOLUTION` without `### END SOLUTION` below it"),
    ],
)  # fmt: skip
def test_a_lab_that_cannot_be_solved_is_not_released(fresh, tmp_path, file, old, new, words):
    copy = changed(fresh, tmp_path, file, old, new)
    shutil.rmtree(copy / "labs", ignore_errors=True)  # another test has released them
    assert words in refused("course release week-1", copy)
    assert not (copy / "labs").exists()


def test_a_student_reads_that_the_exercise_is_wrong(fresh, tmp_path):
    copy = changed(fresh, tmp_path, MARKS, SHOWS, "    return {}['no']")
    run("course release week-1", copy)
    lab = copy / "labs/week-1/my_windows.ipynb"
    lab.write_text(lab.read_text().replace("raise NotImplementedError", "return 77 #"))
    done = subprocess.run(
        ["course", "check", "labs/week-1"], cwd=copy, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert (
        "marks.py, line" in done.stdout and "The exercise is wrong, not your answer" in done.stdout
    )


@pytest.mark.parametrize(
    ("name", "assignment", "words"),
    [
        ("my_windows", "week-2", "there is an exercise 'my_windows' already"),
        ("shapes", "week-2", "there is an exercise 'shapes' already"),
        ("shared", "week-2", "there is an exercise 'shared' already"),
        ("My-Windows", "week-2", "take small letters"),
        ("class", "week-2", "take small letters"),
        ("other", "../week-2", "cannot be an assignment's name"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(fresh, name, assignment, words):
    before = sorted(fresh.rglob("*"))
    with pytest.raises(new_exercise.NewExerciseError, match=words):
        new_exercise.write(fresh, name, assignment)
    assert sorted(fresh.rglob("*")) == before


def test_a_refusal_is_one_line(fresh):
    assert "there is no exercise 'nothing'" in refused("course answers nothing", fresh)
    assert "did you mean 'my_windows'?" in refused("course answers my_window", fresh)
    assert "no notebook below" in refused("course answers shapes", fresh)
    assert "there is no notebook in exercises" in refused("course check exercises", fresh)
    assert "type `--practice --seed 2`" in refused("course check --practice 2", fresh)
    assert "not inside the course's folder" in refused("course answers my_windows", Path("/"))


def in_lab(command: str, folder: Path) -> None:
    """`course lab` until JupyterLab answers; then it is stopped, as its user does."""
    with open(folder / "lab.log", "w+") as log:
        server = subprocess.Popen(
            command.split(),
            cwd=folder,
            stderr=log,
            stdout=log,
            env={**os.environ, "JUPYTER_TOKEN": "token"},
        )
        try:
            until = time.monotonic() + 240
            while "is running at" not in (folder / "lab.log").read_text():
                assert server.poll() is None and time.monotonic() < until, (
                    folder / "lab.log"
                ).read_text()
                time.sleep(0.2)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)


def kind_of(cell) -> str:
    """Whether a cell of a new lab is its text, or what the student answers."""
    if cell.cell_type == "markdown":
        return "text"
    return "my-answer" if cell.metadata.get("nbgrader", {}).get("solution") else ""


def put(path: Path, kind: str, source: str) -> None:
    """A file of the page; into a notebook goes the solution cell, or the text."""
    if path.suffix != ".ipynb":
        path.write_text(source)
        return
    notebook = nbformat.read(path, 4)
    asked = "text" if kind == "markdown" else "my-answer"
    [cell] = [cell for cell in notebook.cells if kind_of(cell) == asked]
    cell.source = source
    nbformat.write(notebook, path)


@pytest.mark.slow
def test_every_command_and_every_file_of_the_page(tmp_path):
    """In order, as somebody follows it. Code without a file's name is there to be read."""
    folder, said = tmp_path / "course", ""
    folder.mkdir()
    for kind, name, text in re.findall(
        r"^```(sh|python|markdown) ?(\S*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    ):
        if kind != "sh" and not name:
            continue
        if kind != "sh":
            put(folder / name, kind, text.rstrip("\n") + ("" if name.endswith(".ipynb") else "\n"))
            continue
        for command in text.splitlines():
            if command.startswith("course lab"):
                in_lab(command, folder)
            else:
                said += run(command, folder).stdout
    assert "Practice draw 2" in said
    assert "tries_all: 2.5 of 4, loses frugal: quality (one-by-one)" in said
    assert "week-1: 1 student" in said and "<svg" in (folder / "report.html").read_text()
    assert json.loads((folder / "my-course/labs/week-1/my_windows.ipynb").read_text())["cells"]
    assert "Call `fits` at most twice" in (folder / "labs/week-2/find_limit.ipynb").read_text()
    shutil.copy(ROOT / "solutions/day-50/inspect.ipynb", folder / "solutions/week-2")
    assert "inspect earns every point" in run("course release week-2", folder).stdout
