"""A course with one lab and one honest student, published once; each test works on copies."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from autograder.course.publish import publish
from autograder.course.release import release
from autograder.grading.folders import Course, Project

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "demo"), str(Path(__file__).parent), str(ROOT / "tests" / "grading")]


@pytest.fixture(scope="session")
def course(tmp_path_factory) -> Course:
    """`inspect` by one student who solved it; nothing graded."""
    root = tmp_path_factory.mktemp("faulty")
    (root / "checkout" / "solutions" / "day-50").mkdir(parents=True)
    (root / "checkout" / "pyproject.toml").touch()
    shutil.copy(
        ROOT / "solutions" / "day-50" / "inspect.ipynb", root / "checkout" / "solutions" / "day-50"
    )
    project, course = Project(root / "checkout"), Course.at(root / "course")
    release(project)
    publish(course, project, exchange=False)
    hand_in(course, project, "ada")
    return course


def hand_in(course: Course, project: Project, *names: str) -> None:
    for name in names:
        released = json.loads((project.labs / "day-50" / "inspect.ipynb").read_text())
        solved = json.loads((project.solutions / "day-50" / "inspect.ipynb").read_text())
        sources = {cell["id"]: cell["source"] for cell in solved["cells"]}
        for cell in released["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("solution"):
                cell["source"] = sources[cell["id"]]
        folder = course.submitted / name / "day-50"
        folder.mkdir(parents=True)
        (folder / "inspect.ipynb").write_text(json.dumps(released))
