"""Where the way from notebook to mark gives wrong marks, nothing is graded."""

import shutil
from dataclasses import replace

import pytest

from nbjudge.grading.config.folders import Course
from nbjudge.grading.run import coordinator
from nbjudge.grading.submission import canary, engine


@pytest.mark.xdist_group("faulty")
@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.5, r"instructor's solution of inspect gets 1.5 of 3 points"),
        (1.0, r"stub of inspect gets 3 of 3 points"),
    ],
)
def test_wrong_marks_are_seen_before_anything_is_graded(course, tmp_path, monkeypatch, share, said):
    own = Course.at(shutil.copytree(course.root, tmp_path / "course"))
    judge = engine.judge

    def generous(*arguments, **how):
        verdict = judge(*arguments, **how)
        return replace(verdict, score=share * verdict.max_score)

    monkeypatch.setattr(engine, "judge", generous)
    monkeypatch.setattr(canary, "_proved", set())
    with pytest.raises(coordinator.Refused, match=said):
        coordinator.grade(own, coordinator.GradingRequest("day-50", seed=50, jobs=2))
    assert not any(own.autograded.glob("*")) and not list(
        (own.root / ".nbjudge").glob("journal/*/*")
    )


@pytest.mark.xdist_group("faulty")
def test_seconds_that_are_too_few_for_the_solution_are_named(course, tmp_path, monkeypatch):
    own = Course.at(shutil.copytree(course.root, tmp_path / "course"))
    monkeypatch.setattr(canary, "_proved", set())
    request = coordinator.GradingRequest("day-50", seed=50, jobs=1, budget={"submission": 1})
    with pytest.raises(coordinator.Refused, match="allow more, for example with --budget"):
        coordinator.grade(own, request)
