"""The steps of the grading run itself: where one of them fails for one student, that student is
`ungraded`, all others get their marks, and the same command grades the rest.
"""

import errno
import os
import shutil

import pytest

from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.faults.policy import Moment
from nbjudge.grading.gradebook.record import Recorder
from nbjudge.grading.intake import intake
from nbjudge.grading.reuse.journal import Journal
from nbjudge.grading.run import coordinator
from nbjudge.grading.submission import engine
from tests.faults.handing_in import hand_in
from tests.faults.test_kills import marks

# By student: where grading fails, and what the reason says.
STEPS = {
    "taking": Moment.TAKING,
    "grading": Moment.GRADING,
    "journaling": Moment.JOURNALING,
    "recording": Moment.RECORDING,
}


def full() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def failing(place, name: str, who, error: Exception, monkeypatch) -> None:
    """Let `place.name` raise where `who` finds the student among its arguments."""
    real = getattr(place, name)

    def instead(*arguments, **named):
        if who(*arguments):
            raise error
        return real(*arguments, **named)

    monkeypatch.setattr(place, name, instead)


@pytest.fixture
def faulty(monkeypatch):
    bug = RuntimeError("a bug of ours")
    failing(intake, "_take", lambda *given: given[1] == "taking", bug, monkeypatch)
    failing(
        engine, "grade", lambda task, *_: task.submission.student == "grading", bug, monkeypatch
    )
    failing(Journal, "write", lambda *given: given[1] == "journaling", full(), monkeypatch)
    among = lambda *given: "recording" in {result.student for result in given[1]}  # noqa: E731
    failing(Recorder, "record", among, full(), monkeypatch)
    return monkeypatch


@pytest.mark.xdist_group("faulty")
def test_a_step_that_fails_for_one_costs_nobody_else(course, tmp_path, faulty):
    own = Course.at(shutil.copytree(course.root, tmp_path / "course"))
    hand_in(own, Project(course.root.parent / "checkout"), *STEPS)
    report = coordinator.grade(own, coordinator.GradingRequest("day-50", seed=50, jobs=2))
    results = {result.student: result for result in report.submissions}
    assert report.exit_code == 3 and set(results) == {"ada", *STEPS}
    for student, moment in STEPS.items():
        result = results[student]
        assert (result.status, result.score) == ("ungraded", None), result
        assert moment.value in result.reason and "the same command again" in result.reason
        assert "\n" not in result.reason and not (own.autograded / student).exists()
    assert [name for name, _ in marks(own)] == ["ada"]
    faulty.undo()
    again = coordinator.grade(own, coordinator.GradingRequest("day-50", seed=50, jobs=2))
    assert again.exit_code == 0
    assert {score for _, score in marks(own)} == {results["ada"].score}
    assert [name for name, _ in marks(own)] == sorted(results)
