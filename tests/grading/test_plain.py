"""Plain nbgrader assignments: asserts beside the student's code, in the box, with nbgrader's rules
and without its holes.
"""

import json

import pytest
from nbclient.exceptions import DeadKernelError
from nbformat import from_dict

from nbjudge.course.boxed import BoxedExecute
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.execution.progress import CellRun
from nbjudge.grading.gradebook import record
from nbjudge.grading.marks import plain_tests
from nbjudge.grading.published import rubric
from nbjudge.grading.run import coordinator
from tests.grading.small import ASSIGNMENT, RIGHT, SOLUTION, TEST, code, markdown, meta, notebook

pytestmark = pytest.mark.xdist_group("plain")

STUB = "def square(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
PARTIAL = "score = 2.0 * (square(2) == 4)\nscore"
FILES = "open('note.txt', 'w').write(open('data.txt').read())"
WRITES = """
from pathlib import Path
for name in ("made/note.txt", "page.html", "timestamp.txt", "other.ipynb", "data.txt", ".hidden"):
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text("written")
Path("large.bin").write_bytes(bytes(2_000_000))
"""


def first():
    return notebook(
        [
            code("answer", SOLUTION, meta("square", solution=True)),
            code("test", TEST, meta("test-square", 3)),
            code("partial", PARTIAL, meta("partial", 2)),
            code("files", FILES),
            markdown("essay", "Why?", meta("essay", 5, solution=True)),
        ]
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    root = tmp_path_factory.mktemp("plain")
    folder = root / "checkout" / "solutions" / ASSIGNMENT
    folder.mkdir(parents=True)
    (root / "checkout" / "pyproject.toml").touch()
    (folder / "first.ipynb").write_text(json.dumps(first()))
    open_tests = [
        code("answer", SOLUTION, meta("open-square", solution=True)),
        code("test", "1", meta("open-test", 0)),
    ]
    (folder / "second.ipynb").write_text(json.dumps(notebook(open_tests)))
    for name in ("data.txt", "published.csv"):
        (folder / name).write_text("from the instructor")
    project, course = Project(root / "checkout"), Course.at(root / "course")
    release(project)
    publish(course, project, exchange=False)
    return project, course


ANSWERS = {
    "right": (RIGHT, 3, 2),
    "wrong": ("def square(x):\n    return x + x", 0, 2),
    "hidden": ("def square(x):\n    return 9 if x == 3 else 0", 0, 0),
    "noisy": ("import sys\ndef square(x):\n    print('warning', file=sys.stderr)\n    return x * x", 3, 2),
    "silent": ("get_ipython().showtraceback = lambda *a, **k: None\ndef square(x):\n    return 0", 0, 0),
    "not-a-number": ("class Sly:\n    def __eq__(self, other): return float('nan')\ndef square(x):\n    return Sly()", 3, 0),
    "exits": ("import os\ndef square(x):\n    os._exit(0)", 0, 0),
    "stub": (STUB, 0, 0),
}  # fmt: skip


@pytest.fixture(scope="module")
def graded(place):
    project, course = place
    released = json.loads((project.labs / ASSIGNMENT / "first.ipynb").read_text())
    for name, (source, *_) in ANSWERS.items():
        folder = course.submitted / name / ASSIGNMENT
        folder.mkdir(parents=True)
        handed_in = json.loads(json.dumps(released))
        handed_in["cells"][0]["source"] = source
        if name == "right":
            handed_in["cells"][4]["source"] = "Because."
            second = json.loads((project.labs / ASSIGNMENT / "second.ipynb").read_text())
            second["cells"][0]["source"] = WRITES
            (folder / "second.ipynb").write_text(json.dumps(second))
            (folder / "own.txt").write_text("handed in")
            (folder / "published.csv").write_text("another")
        (folder / "first.ipynb").write_text(json.dumps(handed_in))
    report = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, seed=1))
    return course, {result.student: result for result in report.submissions}


def test_hidden_tests_are_not_released_and_still_decide(place):
    project, _ = place
    assert "square(-2)" not in (project.labs / ASSIGNMENT / "first.ipynb").read_text()


@pytest.mark.parametrize("name", ANSWERS)
def test_marks_follow_nbgraders_rules(graded, name):
    course, results = graded
    _, test, partial = ANSWERS[name]
    result = results[name]
    assert (result.cells["first/test-square"].score, result.cells["first/partial"].score) == (
        test,
        partial,
    )
    assert record.submission_score(course, ASSIGNMENT, name) == test + partial
    recorded = (course.autograded / name / ASSIGNMENT / "first.ipynb").read_text()
    assert "not tamper-proof" in recorded


@pytest.mark.parametrize(
    ("shown", "incomplete", "score"),
    [([], False, 3), ([], True, 0), (["1.5"], True, 1.5), (["'text'"], True, 0)],
)
def test_output_that_was_lost_gives_no_mark(shown, incomplete, score):
    """A mark may have been in it; one that came counts."""
    outputs = [{"output_type": "execute_result", "data": {"text/plain": text}} for text in shown]
    marked = plain_tests.grade_cell(CellRun("ok", outputs, incomplete=incomplete), 3.0)
    assert marked.score == score and (marked.rung is None) is (score == 3)


def test_essays_wait_for_a_person_unless_they_are_untouched(graded):
    _, results = graded
    assert (
        results["right"].needs_manual and results["right"].cells["first/essay"].status == "manual"
    )
    assert not results["wrong"].needs_manual and results["wrong"].cells["first/essay"].score == 0


def test_what_a_notebook_wrote_without_hidden_tests_lies_beside_it(graded):
    """The first one has some, and a person marks its essay: it ran once more without them."""
    course, results = graded
    folder = course.autograded / "right" / ASSIGNMENT
    found = {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".ipynb"
    }
    given = {"own.txt": "handed in", "published.csv": "from the instructor"}
    wrote = {"made/note.txt": "written", "data.txt": "written", "note.txt": "from the instructor"}
    assert found == {**wrote, **given}
    assert sorted(path.stem for path in folder.glob("*.ipynb")) == ["first", "second"]
    assert any("large.bin is not kept" in remark for remark in results["right"].remarks)


TAKER = """import sys
def square(x):
    text = "".join(sys._getframe(1).f_globals["In"][-1:])
    print(text)
    open("taken.txt", "w").write(text)
    raise type("A" + text.encode().hex()[:50], (ValueError,), {})(text)"""


def test_a_hidden_tests_source_is_not_written_into_what_a_student_sees(place):
    project, course = place
    folder = course.submitted / "taker" / ASSIGNMENT
    folder.mkdir(parents=True)
    handed_in = json.loads((project.labs / ASSIGNMENT / "first.ipynb").read_text())
    handed_in["cells"][0]["source"] = TAKER
    handed_in["cells"].append(code("later", "print(In)\nlen(str(In))"))
    handed_in["cells"].append(
        code("last", "raise type('B' + str(In).encode().hex()[:50], (ValueError,), {})")
    )
    (folder / "first.ipynb").write_text(json.dumps(handed_in))
    (result,) = coordinator.grade(
        course, coordinator.GradingRequest(ASSIGNMENT, seed=1, students=["taker"])
    ).submissions
    recorded = json.loads((course.autograded / "taker" / ASSIGNMENT / "first.ipynb").read_text())
    kept = [
        [cell.get("outputs"), cell.get("execution_count")]
        for cell in recorded["cells"]
        if not rubric.is_rubric(cell)
    ]
    tests, told = json.dumps(kept[1:3]), json.dumps([kept, result.to_json()])
    assert result.score == 0 and plain_tests.HIDDEN.strip() in tests
    assert not any(part in tests for part in ("Error", "[3", "]4"))
    assert not any(part in told for part in ("square(-2)", b"square(-2)".hex()))
    # It comes from the second run, which has no hidden test.
    text = (course.autograded / "taker" / ASSIGNMENT / "taken.txt").read_text()
    assert "square(" in text and "square(-2)" not in text


@pytest.mark.parametrize(
    "source",
    ["import os; os.kill(os.getpid(), 9)", "kept = bytearray(1 << 42)"],
    ids=["killed", "memory"],
)
def test_nbgraders_own_step_gives_no_mark_where_a_kernel_is_lost(source, tmp_path):
    """As with nbgrader's kernels, which have no limit and die where a box says that no memory is
    left.
    """
    notebook = from_dict(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [code("a", source)]}
    )
    with pytest.raises(DeadKernelError):
        BoxedExecute().preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
