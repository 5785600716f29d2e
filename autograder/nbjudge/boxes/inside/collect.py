"""Inside the kernel: call the student's functions on the cases that the supervisor offers, and
leave the answers in the spool.

It runs beside student code, so it is a convenience, not a guard: whatever it writes is judged
elsewhere.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from nbjudge import exercises, wire
from nbjudge.asking import ask
from nbjudge.boxes.inside.line import Line
from nbjudge.boxes.inside.own_time import OwnTime
from nbjudge.contract import Answer, Case, Exercise

# After so many cases without an answer in time, the rest of the exercise is not tried: it would
# take the other exercises' time.
MAX_OVERDUE = 3
_folder: Path | None = None
_line: Line | None = None
# Of each exercise: its public cases and its hidden ones are offered one after the other.
_overdue: Counter[str] = Counter()


class _Overdue(BaseException):
    """The case's time is up. No Exception, so that a student's `except Exception` does not swallow
    it.
    """


def arm(folder: Path, line: Line) -> None:
    """From now on `check` collects answers for the supervisor, instead of judging them; `line`
    leads to the servers of its cases.
    """
    global _folder, _line
    _folder = folder
    _line = line


def armed() -> bool:
    return _folder is not None


def collect(exercise_id: str, *functions: Callable) -> None:
    """Answer every case of the exercise that is on offer; `functions` come in the order in which
    the exercise names them.
    """
    if _folder is None or _line is None:
        raise RuntimeError("no case is on offer before `arm`")
    exercise = exercises.get(exercise_id)
    named = dict(zip(exercise.functions, functions, strict=False))
    for path in sorted(_folder.glob("*.case")):
        frame = next(wire.read(io.BytesIO(path.read_bytes()), path.stat().st_size))
        if frame.header["exercise"] != exercise_id:
            continue
        path.with_suffix(".calling").touch()
        case = Case(frame.header["name"], frame.files, frame.header["parameters"])
        seconds = frame.header["seconds"]
        line = functools.partial(_line.ask, int(path.stem))
        if _overdue[exercise_id] < MAX_OVERDUE:
            answer = _answer(exercise, named, case, seconds, line)
        else:
            why = f"not called: {MAX_OVERDUE} cases before it took longer than {seconds:g} s each"
            answer = Answer("timeout", error={"text": why})
        _overdue[exercise_id] += answer.outcome == "timeout"
        _hand_over(path, answer)


def _hand_over(path: Path, answer: Answer) -> None:
    """The answer to the case of that path, whole or not at all."""
    partial = path.with_suffix(".partial")
    data = wire.encode(
        "answer", dict(answer.files), outcome=answer.outcome, error=dict(answer.error)
    )
    partial.write_bytes(data)
    os.replace(partial, path.with_suffix(".answer"))


def _answer(
    exercise: Exercise,
    functions: Mapping[str, Callable],
    case: Case,
    seconds: float,
    line: Callable[[int], int | None],
) -> Answer:
    """`ask` with a deadline. Everything else that a function may raise, an interrupt too, is its
    answer.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        try:
            with _deadline(seconds):
                return ask(exercise, functions, case, Path(scratch), passing=(_Overdue,), line=line)
        except _Overdue:
            return Answer("timeout", error={"text": f"no answer after {seconds:g} s"})


@contextlib.contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    clock = OwnTime(os.getpid())
    end = clock.now() + seconds

    def overdue(_number: int, _frame: object) -> None:
        if (left := end - clock.now()) <= 0:
            raise _Overdue
        signal.setitimer(signal.ITIMER_REAL, left)

    previous = signal.signal(signal.SIGALRM, overdue)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
