"""Misconceptions that are recognised by the number to which they lead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from formatlab_exercises.inspect.judge.counting import CaseFacts
from nbjudge.findings import Causes, Misconception, cause, misconception

PAGE = "day-50/02-inside-an-onnx-file"


Count = Callable[[CaseFacts], object]


def counted(
    ways: Causes, found: str, section: str, declare: Callable = misconception
) -> Callable[[Count], Misconception]:
    """Make a misconception of a wrong way to count: it is shown by what it gives for this model.
    `found` says what it counts, `ways` are those asked before it.
    """

    def named(count: Count) -> Misconception:
        way = declare(f"{PAGE}#{section}")(count)
        return ways.asked(
            replace(way, shows=lambda given, facts: found if count(facts) == given else "")
        )

    return named


counted_so = partial(counted, declare=cause)  # no stored answer counts like that
