"""Where `make bench` says that the time of a submission goes."""

import shutil
from pathlib import Path

import pytest
from bench import stages

from nbjudge.boxes import box
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.execution.sandboxes import once

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """One submission: the solution of `inspect`."""
    tmp_path = tmp_path_factory.mktemp("stages")
    project = Project(tmp_path / "checkout")
    (project.solutions / "day-50").mkdir(parents=True)
    shutil.copy(Project(ROOT).solutions / "day-50" / "inspect.ipynb", project.solutions / "day-50")
    course = Course.at(tmp_path / "course")
    release(project)
    publish(course, project, exchange=False)
    shutil.copytree(project.solutions / "day-50", course.submitted / "ada" / "day-50")
    return course


@pytest.mark.parametrize("stays", [True, False], ids=["a box stays", "a box ends with its job"])
def test_the_stages_of_a_submission_are_those_of_its_notebooks(course, stays, monkeypatch):
    if not stays:
        monkeypatch.setattr(
            box.Series, "run", lambda self, *job, **told: once(self._module)(*job, **told)
        )
    spent = stages.measured(course, "day-50")
    assert spent.score == spent.max_score and list(spent.notebooks) == ["inspect"]
    # Which stage a hundredth of a second falls to depends on when the coordinator comes to look.
    seconds = spent.notebooks["inspect"]
    assert min(seconds.values()) >= 0 and sum(seconds.values()) > 0, seconds
    assert spent.together == seconds and spent.coordinator > 0
    # A box that is gone has no entry in /proc; nothing looks at this one before its end.
    assert stays or seconds["reading"] > 0, seconds


def test_a_process_that_ends_while_it_is_looked_at_counts_once(monkeypatch):
    """It has used a second; it is there when processes are listed, and over right after that."""
    dead = [0.0]

    def members(first):
        found, dead[0] = ([7] if dead[0] == 0 else []), 1.0
        return found

    monkeypatch.setattr(stages.system, "members", members)
    monkeypatch.setattr(stages.system, "cpu_seconds", lambda pid: 1.0)
    monkeypatch.setattr(stages.system, "cpu_seconds_of_ended", lambda first: dead[0])
    assert stages.used(1) == 1.0
