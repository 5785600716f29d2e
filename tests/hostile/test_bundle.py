"""The students' edition: nothing of the instructors', no name that leads out of it, no link."""

import json
import stat
import zipfile
from pathlib import PurePosixPath

import pytest

from nbjudge.course.bundle import bundle
from nbjudge.grading.config.folders import Project
from tests.hostile.attack import CANARY


@pytest.fixture
def names(tmp_path):
    """A checkout in which what must stay lies everywhere, also behind links in what is given to
    students.
    """
    root = tmp_path / "checkout"
    for folder in (
        "solutions/day-50",
        "tests",
        "demo",
        "course-data",
        "labs/day-50",
        "notebooks",
        "autograder",
        "tools",
        ".git",
    ):
        (root / folder).mkdir(parents=True)
        (root / folder / "file.txt").write_text(
            "for students" if folder in ("labs/day-50", "notebooks", "tools") else CANARY
        )
    (root / "autograder" / "file.txt").write_text("for students")
    (root / "labs" / "day-50" / "inspect.ipynb").write_text(json.dumps({"cells": []}))
    (root / "labs" / "day-50" / "leak.ipynb").symlink_to(root / "solutions" / "day-50" / "file.txt")
    (root / "notebooks" / "solutions").symlink_to(root / "solutions")
    (tmp_path / "outside.txt").write_text(CANARY)
    (root / "tools" / "outside.txt").symlink_to(tmp_path / "outside.txt")
    bundle(Project(root), tmp_path / "students.zip")
    return zipfile.ZipFile(tmp_path / "students.zip")


def test_nothing_of_the_instructors_is_in_it(names):
    assert not [name for name in names.namelist() if CANARY.encode() in names.read(name)]


def test_every_name_stays_inside_and_is_a_file(names):
    for member in names.infolist():
        path = PurePosixPath(member.filename)
        assert (
            path.parts[0] == "ml-model-formats"
            and ".." not in path.parts
            and not path.is_absolute()
        )
        assert stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)
