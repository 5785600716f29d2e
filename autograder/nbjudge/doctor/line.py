"""What `course doctor` says of one thing that it looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warn", "fail"]

INSTALL = (
    "in the course's folder type `make install` "
    "(or `pip install -c requirements.lock ./workbench ./autograder '.[course,minilm,silero]'`)"
)


@dataclass(frozen=True)
class Line:
    """One finding. `fix` is what to type or do; empty when the status is "ok"."""

    name: str
    status: Status
    detail: str
    fix: str = ""
