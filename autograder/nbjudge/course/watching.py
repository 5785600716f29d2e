"""`course grade --watch`: what arrives in the exchange is collected, graded, and its feedback sent, by
the commands' own parts, until somebody stops it.

1. The exchange is looked at again and again, because a file watcher of the system loses files of a new
   folder, and sees nothing that another machine writes to a network's folder. A look is one listing.
2. Each batch takes the locks of collecting and grading for as long as it works, so that other commands
   get their turn; a third lock keeps a second watcher out.
3. What was collected is in `submitted/`, and what was graded in the journal. The only thing that is
   remembered beside them is which result was sent to whom, so that a watcher that was killed goes on
   where it stopped, and sends nothing twice.
4. Of many submissions that wait, a few are graded at a time, first come first served, so that the first
   student need not wait until the last one is graded.
5. What fails through a fault of ours (a full disk, a locked gradebook) is said, waits, and is tried again.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from nbjudge.course import collecting, feedback, items_page, transfer
from nbjudge.course.arrivals import ArrivalRefused
from nbjudge.course.feedback import FeedbackError
from nbjudge.course.transfer import ExchangeProblem
from nbjudge.grading.config.errors import Refused
from nbjudge.grading.config.folders import Course, write_private
from nbjudge.grading.config.locks import held
from nbjudge.grading.marks.results import UNGRADED, SubmissionResult
from nbjudge.grading.run.request import Report

LOOK_SECONDS = 2.0
# Also where nothing seems to have changed: a submission that was being written is complete by then.
AT_LEAST_EVERY = 60.0
# Between two tries of what failed through a fault of ours.
AGAIN_SECONDS = 30.0
# Submissions that are graded together: the first of them waits for the last.
AT_ONCE = 8
# Students that a line names.
MOST_NAMED = 3

Say = Callable[[str], None]


@dataclass(kw_only=True)
class Watch:
    """One watcher of an assignment. `grade` grades these students and reports on them. `shows` is what
    a student hears: the whole `page`, which `items` were earned, or their `number`.
    """

    course: Course
    assignment: str
    grade: Callable[[Collection[str]], Report]
    say: Say
    shows: str = "page"
    stop: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        # At first everybody: a watcher before this one may have been killed behind any step.
        self._waiting: dict[str, None] | None = None
        self._said: set[str] = set()
        self._sent = _Sent(self.course, self.assignment)

    def run(self) -> None:
        """Watch until `stop` is set. Raises Refused while another one watches, and ExchangeProblem
        where there is no exchange.
        """
        transfer.require_exchange(self.course, self.assignment)
        collecting.exchange.require_assignment(self.course, self.assignment)
        busy = Refused(f"another `course grade --watch` watches {self.course.root}: stop it first")
        with held(self.course.private() / "watching", busy):
            self.say(f"watching {self.course.exchange} for {self.assignment}: Ctrl-C stops it")
            for _ in self._looks():
                self.batch()

    def _looks(self) -> Iterator[None]:
        """One whenever the exchange looks otherwise than before, and now and then."""
        seen = None
        last = float("-inf")
        while not self.stop.is_set():
            now = time.monotonic()
            found = self._listing()
            wait = AGAIN_SECONDS if self._waiting else AT_LEAST_EVERY
            if found != seen or now - last > wait:
                seen = found
                last = now
                yield
            self.stop.wait(LOOK_SECONDS)

    def _listing(self) -> frozenset[tuple[str, bool]]:
        """The folders of the exchange, and whether each is complete."""
        inbound = transfer.inbound(self.course)
        with suppress(OSError):
            return frozenset(
                (entry.name, os.path.lexists(Path(entry.path, "timestamp.txt")))
                for entry in os.scandir(inbound)
            )
        return frozenset()

    def batch(self) -> None:
        """Collect, grade and send what is new, each once. What fails is said, and stays waiting."""
        tried: set[str] = set()
        try:
            while group := [name for name in self._all_waiting() if name not in tried][:AT_ONCE]:
                tried.update(group)
                self._send(self.grade(group))
        except (Refused, ExchangeProblem, ArrivalRefused, FeedbackError, OSError) as problem:
            self._say_once(f"not now, and tried again in {AGAIN_SECONDS:g} s: {problem}")
        else:
            self._said &= {line for line in self._said if not line.startswith("not now")}

    def _all_waiting(self) -> list[str]:
        """Who waits to be graded, in the order of arrival, with those that arrived since."""
        arrived = self._collected()
        if self._waiting is None:
            self._waiting = dict.fromkeys(sorted(path.parent.name for path in self._submitted()))
        self._waiting |= dict.fromkeys(arrived)
        return list(self._waiting)

    def _submitted(self) -> Iterator[Path]:
        return self.course.submitted.glob(f"*/{self.assignment}")

    def _collected(self) -> list[str]:
        done = collecting.from_exchange(self.course, self.assignment)
        for line in done.refused:
            self._say_once(f"not collected: {line}")
        fresh = [arrival for arrival in done.arrivals if arrival.is_new]
        fresh.sort(key=lambda one: one.when.timestamp() if one.when else 0.0)
        return [arrival.student for arrival in fresh]

    def _say_once(self, line: str) -> None:
        if line not in self._said:
            self._said.add(line)
            self.say(line)

    def _send(self, report: Report) -> None:
        """Write and send the pages of what was graded, and was not sent as it is."""
        assert self._waiting is not None
        graded = [result for result in report.submissions if result.status != UNGRADED]
        fresh = [result for result in graded if not self._sent.holds(result)]
        if fresh:
            names = [result.student for result in fresh]
            self._write(fresh)
            sent = feedback.return_feedback(self.course, self.assignment, names)
            for result in fresh:
                self._sent.add(result)
            self.say(f"graded {', '.join(names)}; feedback sent to {len(sent.students)}")
            for name in sent.left_out:
                self._say_once(f"{name} did not hand in through the exchange, and fetches no page")
        for result in graded:
            self._waiting.pop(result.student, None)
        reasons: dict[str, list[str]] = {}
        for result in report.submissions:
            if result.status == UNGRADED:
                reasons.setdefault(result.reason or "", []).append(result.student)
        for reason, names in reasons.items():
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            self._say_once(f"not graded yet: {', '.join(names[:MOST_NAMED])}{more}: {reason}")

    def _write(self, results: Collection[SubmissionResult]) -> None:
        names = [result.student for result in results]
        feedback.feedback(self.course, self.assignment, names, noticed=self._say_once)
        if self.shows != "page":
            for result in results:
                items_page.replace(
                    self.course, self.assignment, result, only_number=self.shows == "number"
                )


class _Sent:
    """Which result was sent to whom last."""

    def __init__(self, course: Course, assignment: str):
        self._path = course.private("sent") / f"{assignment}.json"
        try:
            self._known: dict[str, str] = json.loads(self._path.read_text())
        except (OSError, ValueError):
            self._known = {}

    def holds(self, result: SubmissionResult) -> bool:
        return self._known.get(result.student) == _digest(result)

    def add(self, result: SubmissionResult) -> None:
        self._known[result.student] = _digest(result)
        write_private(self._path, json.dumps(self._known).encode())


def _digest(result: SubmissionResult) -> str:
    """Of what a student reads: not how long it took, nor that it was another mark before."""
    told = {**result.to_json(), "seconds": 0, "earlier": None, "timestamp": result.timestamp}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
