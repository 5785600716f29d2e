"""One class of honest and hostile students in one course folder, with a secret planted everywhere
around it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook
from students import answer

from nbjudge.course import live
from nbjudge.course import report as class_report
from nbjudge.course.export import export
from nbjudge.course.feedback import feedback
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.course.report import page
from nbjudge.grading.config.folders import COURSE_ID, Course, Project
from nbjudge.grading.execution.runner import Budget
from nbjudge.grading.marks.results import SubmissionResult
from nbjudge.grading.published import rubric
from nbjudge.grading.run import coordinator, table
from tests.hostile.attack import CANARY, SOLVED, Attack, cell, own

ROOT = Path(__file__).resolve().parents[2]
FORMULA = 'HYPERLINK("http://hostile.invalid")'  # behind a sign of equality
LABS = ("inspect", "dropout")
ASSIGNMENTS = ("day-50", "warm-up")
BUDGET = Budget(cell=8, case=8, notebook=40, submission=90)
SQUARE = {
    "solution": "def square(x):\n    return x * x",
    "wrong": "def square(x):\n    return 9 if x == 3 else 0",
    "stub": "def square(x):\n    raise NotImplementedError()",
}
HONEST = {
    "honest-right": ("inspect", "solution"),
    "honest-half": ("dropout", "main_graph_only"),
    "honest-warm": ("first", "solution"),
}


@dataclass
class Class:
    """A course folder, and what came of grading it."""

    project: Project
    course: Course
    results: dict[str, SubmissionResult]
    said: dict[str, str]  # everything that leaves: file name or kind of output -> text


def project(root: Path) -> Project:
    """A checkout with two labs and one plain assignment. The secret stands in solutions and hidden
    tests.
    """
    (root / "solutions" / "day-50").mkdir(parents=True)
    (root / "pyproject.toml").touch()
    for name in LABS:
        notebook = json.loads((ROOT / "solutions" / "day-50" / f"{name}.ipynb").read_text())
        solution = cell(notebook, SOLVED[name])
        solution["source"] = "".join(solution["source"]).replace(
            "### END SOLUTION", f"# {CANARY}\n    ### END SOLUTION", 1
        )
        (root / "solutions" / "day-50" / f"{name}.ipynb").write_text(json.dumps(notebook))
    (root / "solutions" / "warm-up").mkdir()
    (root / "solutions" / "warm-up" / "first.ipynb").write_text(json.dumps(_plain()))
    (root / "secret.txt").write_text(CANARY)
    release(Project(root))
    return Project(root)


def published(project: Project, folder: Path) -> Course:
    course = Course.at(folder)
    publish(course, project, ASSIGNMENTS)
    return course


def gather(project: Project, folder: Path) -> Course:
    """The course, published, with honest submissions."""
    course = published(project, folder)
    for name in ("secret.txt", "solution.ipynb", "submitted/secret.txt", "grades.csv"):
        (course.root / name).parent.mkdir(exist_ok=True)
        (course.root / name).write_text(CANARY)
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        book.add_student(
            "absent", first_name=f"={FORMULA}", last_name='+1, "quoted"', email="@absent"
        )
    for student, (lab, base) in HONEST.items():
        hand_in(project, course, Attack(student, "honest", lab, base, 1.0), student)
    return course


def hand_in(project: Project, course: Course, attack: Attack, student: str = "") -> None:
    folder = course.submitted / (student or attack.student) / attack.assignment
    folder.mkdir(parents=True)
    notebook = json.loads((project.labs / attack.assignment / f"{attack.lab}.ipynb").read_text())
    source = (
        SQUARE[attack.base]
        if attack.lab == "first"
        else answer(attack.lab, attack.base, ROOT / "solutions" / "day-50")
    )
    if source:
        cell(notebook, SOLVED[attack.lab])["source"] = source
    attack.deed(notebook)
    (folder / f"{attack.lab}.ipynb").write_text(json.dumps(notebook))
    attack.write(folder)


def graded(course: Course, force: bool = False) -> dict[str, coordinator.Report]:
    """Grade both assignments, with the secret in the environment."""
    kept, os.environ["HOSTILE_CANARY"] = os.environ.get("HOSTILE_CANARY"), CANARY
    try:
        return {
            name: coordinator.grade(
                course,
                coordinator.GradingRequest(name, seed=50, jobs=2, budget=BUDGET, force=force),
            )
            for name in ASSIGNMENTS
        }
    finally:
        del os.environ["HOSTILE_CANARY"]
        if kept is not None:
            os.environ["HOSTILE_CANARY"] = kept


def results_of(reports: Mapping[str, coordinator.Report]) -> dict[str, SubmissionResult]:
    return {result.student: result for report in reports.values() for result in report.submissions}


def grade(project: Project, course: Course, force: bool = False) -> Class:
    """Grade both assignments, make feedback and exports, and collect all that people get to see."""
    said = {}
    reports = graded(course, force)
    for assignment, report in reports.items():
        said[f"json of {assignment}"] = json.dumps(
            json.loads("".join(report.json_text())), ensure_ascii=False
        )
        said[f"table of {assignment}"] = _table(course, assignment)
        feedback(course, assignment)
        told = class_report.of(course, assignment, names=True)
        said[f"report of {assignment}"] = page.page(told)
        said[f"report of {assignment} as json"] = json.dumps(told.to_json(), ensure_ascii=False)
    for to in ("csv", "canvas", "moodle"):
        export(course, to, course.root / "export.csv")
        said[f"export to {to}"] = (course.root / "export.csv").read_text()
    said |= {str(path): path.read_text() for path in course.feedback.rglob("*") if path.is_file()}
    said |= {str(path): _recorded(path) for path in course.autograded.rglob("*") if path.is_file()}
    return Class(project, course, results_of(reports), said)


def _recorded(path: Path) -> str:
    """A recorded file as it is, but for the cells that are for the marker alone."""
    if path.suffix != ".ipynb":
        return path.read_text()
    notebook = json.loads(path.read_text())
    notebook["cells"] = [cell for cell in notebook["cells"] if not rubric.is_rubric(cell)]
    return json.dumps(notebook, ensure_ascii=False)


def fight(
    project: Project, folder: Path, attacks: Iterable[Attack]
) -> tuple[dict[str, float], Class]:
    """Honest marks without hostile students, and the class with them, graded anew."""
    course = gather(project, folder)
    quiet = {name: result.score for name, result in results_of(graded(course)).items()}
    for attack in attacks:
        hand_in(project, course, attack)
    return quiet, grade(project, course, force=True)


def fingerprint(folder: Path) -> dict[str, str]:
    """Every file below a folder, by content."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def processes() -> set[str]:
    """Command lines of all processes of this machine."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.add(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


def _table(course: Course, assignment: str) -> str:
    """What `course grade` prints where there is no terminal, progress and table; everything comes
    from the journal.
    """
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        with live.progress() as watch:
            report = coordinator.grade(
                course, coordinator.GradingRequest(assignment, seed=50, budget=BUDGET), watch
            )
        table.show(report)
    return said.getvalue()


def _plain() -> dict:
    def meta(grade_id: str, points: int | None = None) -> dict:
        role = {
            "grade_id": grade_id,
            "grade": points is not None,
            "solution": points is None,
            "locked": points is not None,
        }
        return {
            "nbgrader": {
                **role,
                "task": False,
                "schema_version": 3,
                **({"points": points} if points else {}),
            }
        }

    solution = "def square(x):\n    ### BEGIN SOLUTION\n    return x * x\n    ### END SOLUTION"
    test = f"assert square(3) == 9\n### BEGIN HIDDEN TESTS\n# {CANARY}\nassert square(-2) == 4\n### END HIDDEN TESTS"
    partial = f"### BEGIN HIDDEN TESTS\nscore = 2.0 * (square(2) == 4) # {CANARY}\n### END HIDDEN TESTS\nscore"
    cells = [
        own(solution, metadata=meta("square"), id="answer"),
        own(test, metadata=meta("test-square", 3), id="test"),
    ]
    cells.append(own(partial, metadata=meta("partial", 2), id="partial"))
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": spec}, "cells": cells}
