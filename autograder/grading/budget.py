"""How long a student's code may take: on the command line (`--budget cell=30,notebook=150`) and in
`nbgrader_config.py` (`c.CourseBudget.cell = 30`), the former before the latter. Generous by
default: a mark never depends on the speed of a machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from traitlets.config import Config

SECTION = "CourseBudget"


class BudgetError(ValueError):
    """It cannot be used as a budget. The text says what, and what to type."""


@dataclass(frozen=True)
class Budget:
    """Seconds for a cell, for one call of a student's function, for a notebook, and for a
    submission.

    A submission that has used up its seconds goes to the back of the queue, where it gets them once
    more; what is not done then is over.
    """

    cell: float = 120
    case: float = 60
    notebook: float = 600
    submission: float = 1800


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


def _checked(given: Mapping[str, object], where: str) -> dict[str, float]:
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
