"""A course with one lab and one honest student, published once; each test works on copies."""

import shutil
from pathlib import Path

import pytest

from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from tests.faults.handing_in import hand_in

ROOT = Path(__file__).resolve().parents[2]


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
