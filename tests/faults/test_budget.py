"""Budgets: where they are given, and what becomes of a submission that uses its own up."""

import io
import json
import shutil

import pytest
from handing_in import hand_in
from rich.console import Console
from traitlets.config import Config

from autograder.course import live
from autograder.grading import budget, coordinator
from autograder.grading.budget import Budget, BudgetError
from autograder.grading.folders import Course, Project

ENDLESS = "import time\nwhile True:\n    time.sleep(1)"


def test_the_command_line_goes_before_the_course_and_the_course_before_the_defaults():
    config = Config({"CourseBudget": {"cell": 40, "notebook": 200}})
    assert budget.of(config, budget.parse("cell=30, case=20")) == Budget(
        cell=30, case=20, notebook=200
    )
    assert budget.of(Config(), {}) == Budget()


@pytest.mark.parametrize(
    "text", ["cell", "cell=fast", "cell=0", "cell=nan", "lunch=30", "", "cell=30 case=30"]
)
def test_what_is_no_budget_is_said_in_one_line(text):
    with pytest.raises(BudgetError, match=r"budget|seconds"):
        budget.parse(text)


def test_the_course_s_file_is_named_when_it_is_wrong():
    with pytest.raises(BudgetError, match=r"nbgrader_config\.py: cell=soon"):
        budget.of(Config({"CourseBudget": {"cell": "soon"}}), {})


@pytest.mark.xdist_group("faulty")
def test_who_uses_up_the_time_goes_behind_the_others_and_ends(course, tmp_path):
    own = Course.at(shutil.copytree(course.root, tmp_path / "course"))
    hand_in(own, Project(course.root.parent / "checkout"), "aaa-endless")
    path = own.submitted / "aaa-endless" / "day-50" / "inspect.ipynb"
    notebook = json.loads(path.read_text())
    next(
        cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("solution")
    )["source"] = ENDLESS
    path.write_text(json.dumps(notebook))
    console = Console(file=io.StringIO(), width=200)
    with live.progress(console) as watch:
        report = coordinator.grade(
            own,
            coordinator.GradingRequest("day-50", seed=50, jobs=1, budget={"submission": 10}),
            watch,
        )
    lines = console.file.getvalue().splitlines()
    told = [line for line in lines if not line.startswith("reference")]
    assert told[:2] == [
        "grading 2 submissions",
        "aaa-endless: its time is over; the others go first",
    ]
    assert [line.split()[1] for line in told[2:]] == ["ada", "aaa-endless"]
    assert "reference 1 of 1: inspect" in lines
    endless, ada = report.submissions
    assert (report.exit_code, endless.status, endless.score) == (0, "graded", 0.0)
    assert ada.score == ada.max_score


def test_one_is_singular():
    assert (live.count(1), live.count(2)) == ("1 submission", "2 submissions")
