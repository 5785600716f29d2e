"""The supervisor's cases: when one begins, and how long it may take."""

from types import SimpleNamespace

import pytest

from autograder import wire
from autograder.boxes.inside import cases
from autograder.boxes.inside.spool import Spool


class Clock:
    now = 0.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(cases, "time", clock := Clock())
    return clock


def test_a_case_that_begins_again_and_again_has_no_more_time(tmp_path, clock):
    """Student code may say of two cases in turn that they begin."""
    nothing = SimpleNamespace(
        opened=lambda frames: None, called=lambda *told: called.append(told), closed=None
    )
    called = []
    frames = {
        number: wire.Frame({"kind": "case", "exercise": "x", "name": str(number)})
        for number in (0, 1)
    }
    running = cases.ExerciseCases("x", frames, Spool(tmp_path / "cases", 1000), 10, nothing)
    running.offer()
    for number in frames:
        (tmp_path / "cases" / f"{number:04}.calling").touch()
    running.tick()
    end = running.deadline(idle_seconds=100)
    for _ in range(50):
        clock.now += 1
        running.tick()
    assert running.deadline(idle_seconds=100) == end < clock.now
    assert len(called) == 2
