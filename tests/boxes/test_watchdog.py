"""What is seen of a box, and when: nothing of it depends on which thread comes first."""

import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from nbjudge import boxes
from nbjudge.boxes import ending, watchdog
from nbjudge.boxes.watchdog import Watchdog

LIMITS = replace(boxes.limits_for_pictures(), cpu_seconds=60)


@pytest.fixture
def looking(monkeypatch):
    """A watchdog whose look at a job's memory, which is too much, takes until it is let go."""
    seen, let_go = threading.Event(), threading.Event()

    def look(first, pids, allowed):
        seen.set()
        let_go.wait()
        return 2 * allowed if first == 1 else 0

    monkeypatch.setattr(watchdog, "_memory", look)
    killed: list[bool] = []
    with Watchdog(LIMITS, lambda: killed.append(True)) as watch:
        watch.begin(60)
        watch.watch(1)
        seen.wait()
        yield SimpleNamespace(watch=watch, let_go=let_go, killed=killed)
        let_go.set()


def test_a_look_at_a_job_that_is_over_ends_no_other(looking):
    watch = looking.watch
    assert watch.rest()
    watch.watch(2)
    watch.begin(60)
    looking.let_go.set()
    watch.__exit__()
    assert (watch.reason, looking.killed) == (None, [])


def test_a_look_at_a_job_that_goes_on_ends_it(looking):
    looking.let_go.set()
    looking.watch.join()
    assert (looking.watch.reason, looking.killed, looking.watch.rest()) == ("memory", [True], False)


def test_a_box_that_ended_by_itself_has_not_been_stopped():
    late = SimpleNamespace(reason="deadline", detail="still running")
    assert ending.how(0, late, "", "", 0) == ("finished", "")
    assert ending.how(ending.KILLED, late, "", "", 0) == ("deadline", "still running")


@pytest.mark.parametrize(
    ("cpu", "ago", "threads", "used_up"),
    [
        (59.5, 0, 2, True),
        (54, 0, 2, True),  # what a shared processor told of one that was ended at 60
        (40, 0, 2, False),
        (56, 2, 2, True),
        (20, 2, 2, False),
        (40, 2, 99, True),
        (40, 2, 2, False),
    ],
)
def test_processor_time_counts_since_the_last_look(monkeypatch, cpu, ago, threads, used_up):
    """Sixteen processors: what ends by the limit may have used some of it since it was looked at, and
    no more than its threads can.
    """
    monkeypatch.setattr(watchdog.os, "cpu_count", lambda: 16)
    watch = Watchdog(LIMITS, lambda: None)
    watch.cpu, watch.threads, watch._looked = cpu, threads, time.monotonic() - ago
    assert watch.used_up_cpu is used_up
