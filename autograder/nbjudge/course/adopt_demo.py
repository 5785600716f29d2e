"""`course adopt --demo`: nbgrader's own example course, graded by stock nbgrader and again after
`course adopt`, with a forged submission among the three.

It needs no network and no library for models, and leaves both courses for whoever wants to look.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import nbgrader
from nbgrader.api import Gradebook
from rich.console import Console
from rich.table import Table

from nbjudge.course.adopt import LINES, adopt
from nbjudge.grading import CONFIG

ASSIGNMENT = "ps1"
EXAMPLE = Path(nbgrader.__file__).parent / "docs" / "source" / "user_guide" / "source"
WHO = {
    "ann": "handed in what she was given",
    "bob": "did the work",
    "mal": "did nothing, and marked the tests so that nbgrader skips them",
}


class DemoFailed(RuntimeError):
    """One of nbgrader's own commands failed. The text is the end of what it said."""


def show(say: Callable[[str], None]) -> Path:
    """Grade the example twice, and print the marks of both. Returns the folder that holds both
    courses. Raises DemoFailed, AdoptRefused.
    """
    folder = Path(tempfile.mkdtemp(prefix="course-adopt-"))
    stock = folder / "stock"
    say(f"nbgrader's own example course, in {stock}")
    make_course(stock)
    hand_in(stock)
    adopted = Path(shutil.copytree(stock, folder / "adopted"))
    say(f"the same course in {adopted}, with two lines at the end of {CONFIG}:")
    for line in LINES:
        say(f"    {line}")
    adopt(adopted)
    marks = {}
    for course in (stock, adopted):
        say(f"{course.name}: nbgrader autograde {ASSIGNMENT}")
        run(course, "autograde", ASSIGNMENT, "--create")
        marks[course.name] = marks_of(course)
    table = Table("student", "who", "stock nbgrader", "with the two lines")
    for student, who in WHO.items():
        table.add_row(student, who, marks["stock"][student], marks["adopted"][student])
    Console().print(table)
    return folder


def make_course(root: Path) -> None:
    """The example, with its assignment released to students. Raises DemoFailed."""
    shutil.copytree(EXAMPLE / ASSIGNMENT, root / "source" / ASSIGNMENT)
    (root / CONFIG).write_text('c = get_config()\nc.CourseDirectory.course_id = "example"\n')
    run(root, "generate_assignment", ASSIGNMENT, "--create")


def hand_in(root: Path) -> None:
    """Three submissions: the release, the instructor's source, and the release, forged."""
    for student, handed_in in (("ann", "release"), ("bob", "source"), ("mal", "release")):
        shutil.copytree(root / handed_in / ASSIGNMENT, root / "submitted" / student / ASSIGNMENT)
    for path in (root / "submitted" / "mal" / ASSIGNMENT).glob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("grade"):
                cell["metadata"]["tags"] = ["skip-execution"]
        path.write_text(json.dumps(notebook), encoding="utf-8")


def run(root: Path, *words: str) -> None:
    """One of nbgrader's commands, typed in the course. Raises DemoFailed."""
    command = [sys.executable, "-m", "nbgrader", *words]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        command, cwd=root, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    if done.returncode:
        end = " ".join(done.stderr.split()[-60:])
        raise DemoFailed(f"nbgrader's {words[0]} failed in {root}: {end}")


def marks_of(root: Path) -> dict[str, str]:
    """By student, the marks of the test cells, which no person has to look at, as `3 of 3`."""
    marks = {}
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as gradebook:
        for submission in gradebook.assignment_submissions(ASSIGNMENT):
            tests = [
                grade
                for notebook in submission.notebooks
                for grade in notebook.grades
                if grade.name not in {answer.name for answer in notebook.comments}
            ]
            got = sum(grade.auto_score or 0 for grade in tests)
            marks[submission.student.id] = f"{got:g} of {sum(test.max_score for test in tests):g}"
    return marks
