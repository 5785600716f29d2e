"""nbgrader's autotests: a comment in the source, asserts in what is released and graded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from nbjudge.course.publish import publish, with_saved_tests
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.published.skeletons import Skeleton
from nbjudge.grading.run import coordinator
from tests.grading.small import (
    ASSIGNMENT,
    NOTEBOOK,
    RIGHT,
    SOLUTION,
    WRONG,
    cells,
    code,
    meta,
    notebook,
    write,
)

COMMENT, ASSERT = "### AUTOTEST square(3)", "assert square(3) == 9"
TEMPLATES = """
python3:
  setup: "from hashlib import sha1"
  hash: 'sha1({{snippet}}.encode("utf-8") + b"{{salt}}").hexdigest()'
  dispatch: "type({{snippet}})"
  normalize: "str({{snippet}})"
  check: 'assert str({{snippet}}) == "{{value}}", "{{message}}"'
  success: ""
  templates:
    default:
      - test: "{{snippet}}"
        fail: "the value is wrong"
"""
HIDDEN = (
    "assert square(0) == 0\n### BEGIN HIDDEN TESTS\n### AUTOTEST square(-2)\n### END HIDDEN TESTS"
)
TESTS = {
    "open": "### AUTOTEST square(3)",
    "hidden": HIDDEN,
    "hashed": "### HASHED AUTOTEST square(4)",
}
ANSWERS = {"right": RIGHT, "wrong": WRONG, "signed": "def square(x):\n    return abs(x) * x"}
MARKS = {
    "right": {"open": 3.0, "hidden": 3.0, "hashed": 3.0},
    "wrong": {"open": 0.0, "hidden": 0.0, "hashed": 0.0},
    "signed": {"open": 3.0, "hidden": 0.0, "hashed": 3.0},
}


def authored() -> list[dict]:
    tests = [code(name, source, meta(name, 3)) for name, source in TESTS.items()]
    return [code("answer", SOLUTION, meta("square", solution=True)), *tests]


def hand_in_all(released: Path, submitted: Path) -> dict:
    """Every answer, in the notebook that was released; that notebook's sources by their names."""
    for student, source in ANSWERS.items():
        document = json.loads(released.read_text())
        for cell in document["cells"]:
            if cell["metadata"]["nbgrader"]["grade_id"] == "square":
                cell["source"] = source
        folder = submitted / student / ASSIGNMENT
        folder.mkdir(parents=True)
        (folder / released.name).write_text(json.dumps(document))
    return {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"])
        for cell in document["cells"]
    }


def marks(address: str) -> dict[str, dict[str, float]]:
    with Gradebook(address) as book:
        return {
            submission.student.id: {
                grade.cell.name: grade.score for grade in submission.notebooks[0].grades
            }
            for submission in book.assignment_submissions(ASSIGNMENT)
        }


def test_the_test_that_nbgrader_saved_decides(tmp_path):
    course = Course.at(tmp_path)
    with Gradebook(course.gradebook_url, course.course_id) as book:
        book.add_assignment(ASSIGNMENT)
        book.add_notebook(NOTEBOOK, ASSIGNMENT)
        book.add_source_cell("test-square", NOTEBOOK, ASSIGNMENT, cell_type="code", source=ASSERT)
    authored = {NOTEBOOK: notebook(cells(COMMENT))}
    skeleton = Skeleton(
        assignment=ASSIGNMENT, version="1", notebooks=authored, solutions=authored, files={}
    )
    assert with_saved_tests(course, skeleton).tests() == {NOTEBOOK: {"test-square": ASSERT}}


@pytest.mark.slow
def test_open_hidden_and_hashed_autotests_are_graded(tmp_path):
    project, course = Project(tmp_path / "checkout"), Course.at(tmp_path / "course")
    write(project, authored())
    (project.solutions / ASSIGNMENT / "autotests.yml").write_text(TEMPLATES)
    release(project)
    publish(course, project, exchange=False)
    shown = hand_in_all(project.labs / ASSIGNMENT / f"{NOTEBOOK}.ipynb", course.submitted)
    assert "square(3)" in shown["open"] and "-2" not in shown["hidden"]
    assert "sha1(" in shown["hashed"] and "AUTOTEST" not in "".join(shown.values())
    coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT))
    assert marks(course.gradebook_url) == MARKS


@pytest.mark.slow
def test_nbgrader_itself_gives_the_same_marks_for_autotests(tmp_path):
    source = tmp_path / "source" / ASSIGNMENT
    source.mkdir(parents=True)
    (source / f"{NOTEBOOK}.ipynb").write_text(json.dumps(notebook(authored())))
    (source / "autotests.yml").write_text(TEMPLATES)

    def nbgrader(*words: str) -> None:
        command = [Path(sys.executable).with_name("nbgrader"), *words, ASSIGNMENT]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    nbgrader("generate_assignment")
    hand_in_all(tmp_path / "release" / ASSIGNMENT / f"{NOTEBOOK}.ipynb", tmp_path / "submitted")
    nbgrader("autograde", "--create")
    assert marks(f"sqlite:///{tmp_path / 'gradebook.db'}") == MARKS
