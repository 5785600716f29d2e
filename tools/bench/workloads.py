"""The classes that both engines grade: submissions, in a published course, for nbgrader as it comes
and for this engine.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project

ROOT = Path(__file__).resolve().parents[2]
PLAIN = "warm-up"
# nbgrader's own settings alone: what `course publish` writes hands the work to this engine.
STOCK = "c = get_config()\nc.CourseDirectory.course_id = {course_id!r}\nc.CourseDirectory.root = {root!r}\n"
ENDLESS = "while True:\n    pass"


@dataclass(frozen=True)
class Workload:
    """`fill` puts `submissions` of them into a course folder; `project` makes the checkout that is
    published.

    `rounds` is how often each variant runs. `both`: nbgrader can grade it too, to the same marks.
    """

    name: str
    assignment: str
    submissions: int
    rounds: int
    fill: Callable[[Course, int], None]
    project: Callable[[Path], Project] = lambda folder: Project(ROOT)
    both: bool = True
    has_exercises: bool = False


def course(workload: Workload, folder: Path) -> Course:
    """A course with the assignment published and the submissions handed in."""
    made = Course.at(folder)
    publish(made, workload.project(_beside(made)), [workload.assignment], exchange=False)
    workload.fill(made, workload.submissions)
    return made


def as_stock(made: Course, folder: Path) -> Path:
    """A copy that nbgrader grades by itself."""
    shutil.copytree(made.root, folder)
    (folder / "nbgrader_config.py").write_text(
        STOCK.format(course_id=made.course_id, root=str(folder))
    )
    return folder


def perfect(assignment: str) -> Callable[[Course, int], None]:
    """The instructor's solutions, with the public references that a student has."""

    def fill(made: Course, number: int) -> None:
        for student in range(number):
            folder = made.submitted / f"student-{student:03}" / assignment
            shutil.copytree(ROOT / "solutions" / assignment, folder)
            shutil.copytree(ROOT / "labs" / assignment / "references", folder / "references")

    return fill


def hostile_class(made: Course, number: int) -> None:
    """One in ten holds the processor until its time is over, the others are right."""
    for student in range(number):
        folder = made.submitted / f"student-{student:03}" / "day-50"
        shutil.copytree(_beside(made) / "solutions" / "day-50", folder)
        if student % 10:
            continue
        path = folder / "inspect.ipynb"
        notebook = json.loads(path.read_text())
        cell = next(
            cell
            for cell in notebook["cells"]
            if cell["metadata"].get("nbgrader", {}).get("solution")
        )
        cell["source"] = ENDLESS
        path.write_text(json.dumps(notebook))


def plain(made: Course, number: int) -> None:
    for student in range(number):
        shutil.copytree(
            _beside(made) / "solutions" / PLAIN, made.submitted / f"student-{student:03}" / PLAIN
        )


def _beside(made: Course) -> Path:
    """The folder of a checkout that is made for this course alone."""
    return made.root.with_name(f"{made.root.name}-project")


def _two_labs(root: Path) -> Project:
    (root / "solutions" / "day-50").mkdir(parents=True)
    (root / "pyproject.toml").touch()
    for name in ("inspect", "dropout"):
        shutil.copy(ROOT / "solutions" / "day-50" / f"{name}.ipynb", root / "solutions" / "day-50")
    release(Project(root))
    return Project(root)


def _plain_project(root: Path) -> Project:
    """A checkout with one small notebook of plain asserts."""
    sys.path.insert(0, str(ROOT / "tests" / "grading"))
    import small

    project = Project(root)
    small.write(project, small.cells()[:3])
    release(project)
    return project


WORKLOADS = {
    "trivial": Workload("trivial", PLAIN, 24, 3, plain, _plain_project),
    "day-50": Workload("day-50", "day-50", 4, 2, perfect("day-50"), has_exercises=True),
    "lab-7-01": Workload("lab-7-01", "lab-7-01", 1, 2, perfect("lab-7-01"), has_exercises=True),
    "hostile": Workload("hostile", "day-50", 10, 2, hostile_class, _two_labs, both=False),
}
