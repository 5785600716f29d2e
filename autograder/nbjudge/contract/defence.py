"""What an exercise adds so that students can be asked about their own code on paper."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from nbjudge.contract.cases import Answer, Case


class Defence(ABC):
    """Inputs that are small enough to be followed by hand, how they look on paper, and what is said
    of an answer to one.

    It lies in `exercises/<id>/defend.py` as `DEFENCE`, and runs in the box with student code, but
    for `drawn`.
    """

    @abstractmethod
    def inputs(self, instance: int) -> list[Case]:
        """Six to fourteen inputs. Those of another instance have the same roles in the same order,
        with other numbers and names.
        """

    @abstractmethod
    def drawn(self, case: Case) -> str:
        """How an input looks on paper, as HTML."""

    @abstractmethod
    def outcome(self, case: Case, answer: Answer) -> str:
        """Say in one line what an answer that returned something is, so that two lines are equal
        where the answers mean the same.
        """

    def value(self, value: Any) -> str | None:  # noqa: ARG002  # for those that know more types
        """Say in a few characters what a name holds, for a value that is none of Python's own; None
        where it cannot be said. No method of a student's class may be called.
        """
        return None
