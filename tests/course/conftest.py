"""What tests of the instructor's commands share: a course folder with an empty gradebook, a
student's lab, and the command.
"""

import contextlib
import json
import shutil

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from nbjudge.cli import app
from nbjudge.grading.config.folders import COURSE_ID, Course

NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"nbjudge": {"version": "abc"}},
        "cells": [],
    }
)


@pytest.fixture
def course(tmp_path, empty_gradebook):
    course = Course.at(tmp_path / "course")
    course.root.mkdir()
    shutil.copy(empty_gradebook, course.gradebook)
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        for name in ("day-50", "lab-7-01"):
            book.add_assignment(name)
    return course


@pytest.fixture
def enrol(course):
    """Put students on the roster: `enrol("ada", ben={"lms_user_id": "7"})`."""

    def add(*names, **more):
        with Gradebook(course.gradebook_url, COURSE_ID) as book:
            for name in (*names, *more):
                book.add_student(name, **more.get(name, {}))

    return add


@pytest.fixture
def lab(tmp_path):
    folder = tmp_path / "work" / "day-50"
    folder.mkdir(parents=True)
    (folder / "dropout.ipynb").write_text(NOTEBOOK)
    return folder


@pytest.fixture
def typed(tmp_path):
    """Type a command in a folder of one's own: `typed("collect", "day-50")`."""

    def run(*words):
        with contextlib.chdir(tmp_path):
            return CliRunner().invoke(app, [str(word) for word in words])

    return run
