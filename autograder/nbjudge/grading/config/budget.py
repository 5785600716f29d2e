"""How long a student's code, and the checks of what it returned, may take: on the command line
(`--budget cell=30,notebook=150`) and in `nbgrader_config.py` (`c.CourseBudget.cell = 30`), the
former before the latter. Generous by default: a mark never depends on the speed of a machine.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from traitlets.config import Config

from nbjudge.boxes import BoxRun, Limits
from nbjudge.boxes.limits import BUSY

SECTION = "CourseBudget"
Given = TypeVar("Given")
Result = TypeVar("Result")


class BudgetError(ValueError):
    """It cannot be used as a budget. The text says what, and what to type."""


@dataclass(frozen=True)
class Budget:
    """Seconds for a cell, for one call of a student's function, for a notebook, and for a
    submission.

    Those of a submission are what running its notebooks takes, and the processor time of reading
    them and of looking at its answers. One that has used them up goes to the back of the queue, where it
    gets them once more; what is not done then is over.
    """

    cell: float = 120
    case: float = 60
    notebook: float = 600
    submission: float = 1800


# What the look at an exercise's answers gets, however little is left: many times what it needs for
# an honest answer, so that time which went elsewhere costs none of these.
LEAST_LOOK = 30


class OutOfTime(Exception):
    """The submission's seconds are over in its first turn: what is not done comes again in its
    second.
    """


class Allowance:
    """The seconds of a submission in one of its turns, and how many of them it has used. Without a
    submission there is no end of them.
    """

    def __init__(self, seconds: float = math.inf, turn: int = 1):
        self._seconds = seconds
        self._is_last = turn > 1
        self.used = 0.0

    @property
    def left(self) -> float:
        return self._seconds - self.used

    def use(self, seconds: float) -> None:
        self.used += seconds

    def counting(self, work: Callable[[Given], Result]) -> Callable[[Given], Result]:
        """`work`, whose processor time is used; what this thread waits for meanwhile is not."""

        def counted(given: Given) -> Result:
            began = time.thread_time()
            try:
                return work(given)
            finally:
                self.use(time.thread_time() - began)

        return counted

    def wait_if_over(self) -> None:
        """Raises OutOfTime if nothing is left and there is another turn."""
        if self.left <= 1 and not self._is_last:
            raise OutOfTime

    def of_look(self, limits: Limits) -> Limits:
        """The limits of a look at answers that may take `limits`: no more than what is left."""
        seconds = int(min(limits.cpu_seconds, max(LEAST_LOOK, self.left)))
        return replace(limits, wall_seconds=seconds * BUSY, cpu_seconds=seconds)

    def looked(self, ended: BoxRun, given: Limits) -> None:
        """Use the processor time of a look. Raises OutOfTime if that was over, and comes again."""
        if ended.ended == "finished":
            self.use(ended.processor)
        elif ended.ended == "deadline":
            self.use(given.cpu_seconds)
            self.wait_if_over()
        elif ended.ended not in ("killed", "starved"):  # those are the machine's, and come again
            self.use(min(ended.seconds, given.cpu_seconds))


NAMES = tuple(field.name for field in fields(Budget))


def parse(text: str) -> dict[str, float]:
    """`cell=30,case=30` as numbers. Raises BudgetError."""
    given = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if not equals:
            raise BudgetError(
                f"{part.strip()!r} is no budget: write seconds as in --budget cell=30,case=30,notebook=150,submission=600"
            )
        given[name.strip()] = value
    return _checked(given, "--budget")


def of(config: Config, override: Mapping[str, float]) -> Budget:
    """The budget that the course's configuration sets, with what the command line says instead.
    Raises BudgetError.
    """
    own = _checked(dict(config.get(SECTION, {})), f"c.{SECTION} in nbgrader_config.py")
    return replace(Budget(), **{**own, **override})


def _checked(given: Mapping[str, Any], where: str) -> dict[str, float]:
    checked = {}
    for name, value in given.items():
        if name not in NAMES:
            raise BudgetError(
                f"{where}: there is no budget {name!r}; there are {', '.join(NAMES)}, in seconds"
            )
        try:
            seconds = float(value)
        except (TypeError, ValueError):
            seconds = math.nan
        if not 1 <= seconds <= 86400:
            raise BudgetError(f"{where}: {name}={value} is no time: give seconds from 1 to 86400")
        checked[name] = seconds
    return checked
