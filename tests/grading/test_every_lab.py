"""Every lab that is released, through the whole path: the instructor's own answers earn every point, and the untouched lab earns none."""

import shutil
from pathlib import Path

import pytest

from autograder import exercises
from autograder.course.publish import publish
from autograder.grading import coordinator
from autograder.grading.folders import Course, Project
from autograder.grading.results import MANUAL

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=pytest.mark.xdist_group(f"every-lab-{name}")) for name in Project(ROOT).assignments()],
)
def graded(request, tmp_path_factory):
    """The assignment and the results of `ada`, who hands the solutions in, and `gus`, who hands the labs in as they are."""
    assignment, project = request.param, Project(ROOT)
    course = Course.at(tmp_path_factory.mktemp("course"))
    publish(course, project, [assignment], exchange=False)
    shutil.copytree(project.solutions / assignment, course.submitted / "ada" / assignment)
    shutil.copytree(project.labs / assignment, course.submitted / "gus" / assignment)
    report = coordinator.grade(course, coordinator.Order(assignment, seed=2026))
    return assignment, {result.student: result for result in report.submissions}


def test_the_solutions_earn_every_point(graded):
    assignment, results = graded
    checked = {f"{exercise.notebook}/{exercise.grade_id}" for exercise in exercises.of_assignment(assignment)}
    assert checked <= results["ada"].cells.keys()
    for key, cell in results["ada"].cells.items():
        assert (cell.score == cell.max_score) if key in checked else (cell.status == MANUAL), (key, cell)


def test_an_untouched_lab_earns_nothing(graded):
    _, results = graded
    assert {key: cell.score for key, cell in results["gus"].cells.items() if cell.score != 0} == {}
    assert results["gus"].status == "graded" and not results["gus"].needs_manual
