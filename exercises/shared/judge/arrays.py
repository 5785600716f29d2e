"""What judges share whose exercises answer with arrays: reading them, and the rungs that every such
ladder begins with.
"""

from __future__ import annotations

import math

import numpy as np
from safetensors import SafetensorError

from formatlab_exercises.shared.arrays import ANSWER, CHANGED, GIVEN, unpacked
from nbjudge.contract import Answer, Inspect, View
from nbjudge.findings import Finding, Misconception
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known


def given(view: View) -> dict[str, np.ndarray]:
    """What the function was called with."""
    return unpacked(view.case.files[GIVEN])


def read(answer: Answer) -> dict[str, np.ndarray] | None:
    """What the function returned; None where it cannot be read, since the box that it comes from is
    not trusted.
    """
    try:
        return unpacked(answer.files.get(ANSWER, b""))
    except (SafetensorError, ValueError, KeyError, TypeError):
        return None


def number(array: np.ndarray) -> float:
    """The one number that an array holds; NaN where there is none or several, which `call` does not
    write.
    """
    return float(array.item()) if array.size == 1 else math.nan


def returns(expected: str, section: str, names: tuple[str, ...]) -> Inspect:
    """Breaks when the function does not return what `expected` says, in arrays of these names."""

    def readable(answer: Answer) -> dict[str, np.ndarray] | None:
        found = read(answer)
        return (
            found
            if found is not None
            and set(names) | {CHANGED} <= set(found)
            and found[CHANGED].size == 1
            else None
        )

    look = outcome.returns(expected, section, readable)
    look.__name__ = "returns_them"  # the rung's title
    return look


def changed(view: View, in_place: Misconception) -> Finding | None:
    """Breaks when the function changed an array that it was handed."""
    if not known(read(view.answer))[CHANGED].any():
        return None
    return Finding(
        "the arrays that were passed in, as they were before the call",
        "one of them is changed",
        in_place,
    )


def kind_of(array: np.ndarray) -> str:
    return f"{array.dtype} of shape {list(array.shape)}"


def first_wrong(found: np.ndarray, wanted: np.ndarray) -> str:
    """How many places of two arrays of one shape differ, and the first of them: `2 of 9 differ;
    number 3 is 7, not 8`.
    """
    wrong = np.flatnonzero(found.reshape(-1) != wanted.reshape(-1))
    at = int(wrong[0])
    return f"{wrong.size} of {wanted.size} differ; number {at} is {found.reshape(-1)[at]}, not {wanted.reshape(-1)[at]}"
