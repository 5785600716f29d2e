"""The cases of a runner box: which are on offer, which one runs, which have been answered."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

from nbjudge import wire
from nbjudge.boxes import mounts
from nbjudge.boxes.inside.channel import Channel
from nbjudge.boxes.inside.spool import Spool
from nbjudge.contract import Answer

ANSWER_BYTES = 256 << 20
ALL_ANSWERS_BYTES = 768 << 20
# The kernel's own alarm ends an ordinary endless loop; only one that swallows it is left for the
# supervisor to kill.
_GRACE_SECONDS = 5.0


class Cases:
    """All cases of the job, by exercise. `folder` is the spool that the kernel sees; `clock` tells
    the seconds that count.
    """

    def __init__(
        self,
        frames: list[wire.Frame],
        case_seconds: float,
        channel: Channel,
        clock: Callable[[], float],
    ):
        self.folder = Path(mounts.SPOOL, "cases")
        self._spool = Spool(self.folder, ANSWER_BYTES)
        self._seconds = case_seconds
        self._channel = channel
        self._clock = clock
        self._left = ALL_ANSWERS_BYTES
        self._by_exercise: dict[str, dict[int, wire.Frame]] = defaultdict(dict)
        self._open: dict[int, wire.Frame] = {}
        self._serving = threading.Lock()
        for number, frame in enumerate(frames):
            self._by_exercise[frame.header["exercise"]][number] = frame

    def of(self, exercise: str) -> list[ExerciseCases]:
        """The cases of a test cell, those that everybody has apart from the hidden ones."""
        frames = self._by_exercise[exercise]
        public = {number: frame for number, frame in frames.items() if frame.header.get("public")}
        hidden = {number: frame for number, frame in frames.items() if number not in public}
        parts = [part for part in (public, hidden) if part] or [{}]
        return [
            ExerciseCases(
                exercise, part, self._spool, seconds=self._seconds, owner=self, clock=self._clock
            )
            for part in parts
        ]

    def close(self) -> None:
        """The folder is done with. No question is on its way: a reply would go to the next job."""
        with self._serving:
            self._open = {}
        self._spool.close()

    def opened(self, frames: Mapping[int, wire.Frame]) -> None:
        """These cases are on offer: their servers may be asked."""
        self._open = dict(frames)

    def closed(self, number: int) -> None:
        self._open.pop(number, None)

    def reply(self, number: int, question: int) -> int | None:
        """What a case's server replies. Of one that answers no more, or of a case that is over,
        nothing leaves the box.
        """
        with self._serving:
            frame = self._open.get(number)
            if frame is None:
                return None
            told = self._channel.ask(
                exercise=frame.header["exercise"], case=frame.header["name"], question=question
            )
        reply = told.header["reply"] if told else None
        if reply is None:
            self.closed(number)
        return reply

    def called(self, exercise: str, frame: wire.Frame) -> None:
        self._channel.send("calling", exercise=exercise, case=frame.header["name"])

    def answered(self, exercise: str, frame: wire.Frame, answer: Answer) -> None:
        size = sum(len(data) for data in answer.files.values())
        if size > self._left:
            most = f"at most {self._left} bytes more"
            answer = Answer("too_large", error={"found": f"{size} bytes", "expected": most})
            size = 0
        self._left -= size
        self._channel.send(
            "answer",
            dict(answer.files),
            exercise=exercise,
            case=frame.header["name"],
            outcome=answer.outcome,
            error=dict(answer.error),
        )


class ExerciseCases:
    """Cases of one test cell, in order; those that have been answered drop out."""

    def __init__(
        self,
        exercise: str,
        frames: dict[int, wire.Frame],
        spool: Spool,
        *,
        seconds: float,
        owner: Cases,
        clock: Callable[[], float],
    ):
        self._exercise = exercise
        self._frames = frames
        self._spool = spool
        self._seconds = seconds
        self._owner = owner
        self._clock = clock
        self._current: int | None = None
        self._since = self._clock()

    @property
    def current(self) -> str | None:
        """The name of the case that runs."""
        return None if self._current is None else self._frames[self._current].header["name"]

    def offer(self) -> None:
        """Hand over what has not been answered."""
        self._current = None
        self._since = self._clock()
        self._spool.offer((number, self._encode(frame)) for number, frame in self._frames.items())
        self._owner.opened(self._frames)

    def withdraw(self) -> None:
        self._owner.opened({})
        self._spool.withdraw(self._frames)

    def left(self, idle_seconds: float) -> float:
        """Seconds until the test cell is over: of the running case's time, or of `idle_seconds`
        between cases.
        """
        given = idle_seconds if self._current is None else self._seconds + _GRACE_SECONDS
        return self._since + given - self._clock()

    def tick(self) -> None:
        """Send on what has happened in the spool since the last time."""
        for number in list(self._frames):
            if number != self._current and self._spool.is_calling(number):
                self._current = number
                self._since = self._clock()
                self._owner.called(self._exercise, self._frames[number])
            answer = self._spool.take(number)
            if answer is None:
                return
            self._answer(number, answer)

    def blame(self, status: str) -> bool:
        """The kernel was lost: answer for the case that ran. False when none did, or none is left."""
        if self._current is None:
            return False
        text = (
            "the kernel died while it ran this case"
            if status == "died"
            else f"no answer after {self._seconds:g} s"
        )
        self._answer(
            self._current, Answer("killed" if status == "died" else "timeout", error={"text": text})
        )
        return bool(self._frames)

    def give_up(self, outcome: str) -> None:
        """Answer for every case that is left."""
        text = (
            "not called: the time was over"
            if outcome == "timeout"
            else "not called: the kernel had died too often before"
        )
        for number in list(self._frames):
            self._answer(number, Answer(outcome, error={"text": text}))

    def _answer(self, number: int, answer: Answer) -> None:
        self._owner.closed(number)
        self._owner.answered(self._exercise, self._frames.pop(number), answer)
        self._spool.withdraw([number])
        if number == self._current:
            self._current = None
            self._since = self._clock()

    def _encode(self, frame: wire.Frame) -> bytes:
        header = frame.header
        return wire.encode(
            "case",
            frame.blobs,
            exercise=header["exercise"],
            name=header["name"],
            parameters=header.get("parameters", {}),
            seconds=self._seconds,
        )
