"""A small plain assignment, a course that published it, and students who hand in through nbgrader's
own exchange.
"""

import json
import shutil
from pathlib import Path

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeFetchFeedback, ExchangeSubmit
from traitlets.config import Config

from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import COURSE_ID, Course, Project

ASSIGNMENT, NOTEBOOK = "warm-up", "first"
SOLUTION = "def square(x):\n    ### BEGIN SOLUTION\n    return x * x\n    ### END SOLUTION"
RIGHT, WRONG = "def square(x):\n    return x * x", "def square(x):\n    return x + x"
TEST = "assert square(3) == 9\n### BEGIN HIDDEN TESTS\nassert square(-2) == 4\n### END HIDDEN TESTS"
ESSAY = "Why?\n\n### BEGIN SOLUTION\n**Points.** 5: it says *because*.\n### END SOLUTION"
TASK = "Draw it.\n\n=== BEGIN MARK SCHEME ===\n2 points for the axes.\n=== END MARK SCHEME ==="


def meta(grade_id, points=None, solution=False, task=False):
    grade = points is not None and not task
    fields = {
        "grade_id": grade_id,
        "grade": grade,
        "solution": solution,
        "locked": not solution,
        "task": task,
        "schema_version": 3,
    }
    return {"nbgrader": {**fields, "points": points} if points is not None else fields}


def code(cell_id, source, metadata=None):
    return {
        "cell_type": "code",
        "id": cell_id,
        "metadata": metadata or {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def markdown(cell_id, source, metadata=None):
    return {"cell_type": "markdown", "id": cell_id, "metadata": metadata or {}, "source": source}


def notebook(cells):
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": spec}, "cells": cells}


def cells(test=TEST):
    return [
        markdown("intro", "Squares: $x^2 \\ge 0$."),
        code("answer", SOLUTION, meta("square", solution=True)),
        code("test", test, meta("test-square", 3)),
        markdown("essay", ESSAY, meta("essay", 5, solution=True)),
    ]


def write(project: Project, given) -> None:
    folder = project.solutions / ASSIGNMENT
    folder.mkdir(parents=True, exist_ok=True)
    (project.root / "pyproject.toml").touch()
    (folder / f"{NOTEBOOK}.ipynb").write_text(json.dumps(notebook(given)))


def copied(original: Course, root: Path) -> Course:
    """A course folder of one test's own; publishing is slow, and need not be done for every test."""
    course = Course(shutil.copytree(original.root, root))
    path = course.root / "nbgrader_config.py"
    path.write_text(path.read_text().replace(str(original.root), str(root)))
    return course


def published(root: Path, given=None, exchange: bool = False) -> tuple[Project, Course]:
    """A fresh checkout and course with the assignment released and published."""
    project, course = Project(root / "checkout"), Course.at(root / "course")
    write(project, given or cells())
    release(project)
    publish(course, project, exchange=exchange)
    return project, course


def answered(project: Project, answers: dict[str, str]) -> dict:
    """The released notebook with answers by grade_id."""
    document = json.loads((project.labs / ASSIGNMENT / f"{NOTEBOOK}.ipynb").read_text())
    for cell in document["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = answers.get(grade_id, cell["source"])
    return document


def put(
    project: Project, folder: Path, answers: dict[str, str], timestamp: str | None = None
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{NOTEBOOK}.ipynb").write_text(json.dumps(answered(project, answers)))
    if timestamp:
        (folder / "timestamp.txt").write_text(timestamp)
    return folder


def hand_in(
    project: Project,
    course: Course,
    student: str,
    answers: dict[str, str],
    timestamp: str | None = None,
) -> Path:
    """Straight into the course's folder, as if collected."""
    return put(project, course.submitted / student / ASSIGNMENT, answers, timestamp)


def student_config(home: Path, course: Course) -> Config:
    """nbgrader on a student's machine: the folder's name is the student's."""
    return Config(
        {
            "CourseDirectory": {
                "course_id": COURSE_ID,
                "assignment_id": ASSIGNMENT,
                "student_id": home.name,
            },
            "Exchange": {
                "root": str(course.exchange),
                "cache": str(home / "cache"),
                "assignment_dir": str(home),
            },
        }
    )


def submit(home: Path, course: Course) -> None:
    config = student_config(home, course)
    ExchangeSubmit(
        coursedir=CourseDirectory(config=config),
        authenticator=Authenticator(config=config),
        config=config,
    ).start()


def fetch_feedback(home: Path, course: Course) -> list[Path]:
    """The pages that the student has after fetching."""
    config = student_config(home, course)
    ExchangeFetchFeedback(coursedir=CourseDirectory(config=config), config=config).start()
    return sorted((home / ASSIGNMENT / "feedback").rglob("*.html"))
