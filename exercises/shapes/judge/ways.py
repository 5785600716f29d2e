"""Wrong ways to compute or to count, in tables: by the field in which one is wrong, and the name of what
it does instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import NamedTuple

from nbjudge.findings import Misconception, Section

PAGE = "day-50/04-validation-ladder"
CONV, KINDS = Section(f"{PAGE}#conv-formula"), Section(f"{PAGE}#four-kinds-of-shape")
VALUES = Section(f"{PAGE}#values-decide-shapes")


class Way(NamedTuple):
    """A wrong way to compute or to count: what it gives, and the misconception behind it."""

    found: str
    misconception: Misconception


Table = dict[str, dict[str, Way]]


def few_first(alternatives: Mapping[str, Mapping[str, Way]]) -> list[dict[str, str]]:
    """Every combination of mistakes in at most three fields, the fewest first."""
    return [
        dict(zip(fields, names, strict=True))
        for count in range(4)
        for fields in itertools.combinations(alternatives, count)
        for names in itertools.product(*(alternatives[field] for field in fields))
    ]
