"""What `make bench` measures: a class of any size goes through the real coordinator, journal and
gradebook; stages add up.
"""

import shutil
import sys
from pathlib import Path

import pytest

from autograder.course.publish import publish
from autograder.course.release import release
from autograder.grading.folders import Course, Project

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from bench import report, simulate, stages

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def row():
    return simulate.one(4, None)


def test_everybody_is_recorded_and_taken_over_the_second_time(row):
    assert row["submissions"] == 4 and row["first"]["resumed"] == 0 and row["again"]["resumed"] == 4


def test_only_the_first_time_writes(row):
    assert row["first"]["database_seconds"] > 0 and row["first"]["journal_seconds"] > 0
    assert row["again"]["database_seconds"] == row["again"]["journal_seconds"] == 0


def test_the_stages_of_a_submission_are_those_of_its_notebooks(tmp_path):
    project = Project(tmp_path / "checkout")
    (project.solutions / "day-50").mkdir(parents=True)
    shutil.copy(Project(ROOT).solutions / "day-50" / "inspect.ipynb", project.solutions / "day-50")
    course = Course.at(tmp_path / "course")
    release(project)
    publish(course, project, exchange=False)
    shutil.copytree(project.solutions / "day-50", course.submitted / "ada" / "day-50")
    spent = stages.stages(course, "day-50")
    assert spent["score"] == spent["max_score"] and list(spent["notebooks"]) == ["inspect"]
    # A box starts with an interpreter, and the notebook imports onnx: hundredths of a second show
    # both.
    assert all(spent["notebooks"]["inspect"][stage] > 0 for stage in ("harness", "checks"))
    assert min(spent["notebooks"]["inspect"].values()) >= 0 and spent["coordinator"] > 0
    assert "| inspect |" in report.stages("day-50", spent) and "| together |" in report.stages(
        "day-50", spent
    )
