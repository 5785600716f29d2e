"""Predictions: the reader writes an answer before a cell runs, and one line compares it with what
came out.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any


def compare(guess: Any, found: Any, within: float = 0.0) -> None:
    """Say what was predicted and what was found. `guess` is `...` until the reader writes one.

    A right answer counts however it is typed: text in any case, a number or a truth value as text,
    yes and no for true and false. `within` is the relative error that the page grants to numbers.
    """
    if guess is ...:
        print(
            f"Found: {found}. Your prediction: none yet. Write it in place of the dots and run the cell again."
        )
    else:
        said = "Right." if is_right(guess, found, within) else "Not this time."
        print(f"Found: {found}. Your prediction: {guess}. {said}")


def is_right(guess: Any, found: Any, within: float = 0.0) -> bool:
    """Whether a prediction says what was found, however it is typed."""
    if str(guess).strip().casefold() == str(found).strip().casefold():
        return True
    guess, found = _meant(guess), _meant(found)
    if _is_number(guess) and _is_number(found):
        return guess == found or math.isclose(guess, found, rel_tol=within)
    if isinstance(guess, (list, tuple)) and isinstance(found, (list, tuple)):
        return len(guess) == len(found) and all(
            is_right(*pair, within) for pair in zip(guess, found, strict=True)
        )
    if isinstance(found, (set, frozenset)) and isinstance(guess, Collection):
        return {_meant(one) for one in guess} == {_meant(one) for one in found}
    return type(guess) is type(found) and guess == found


# What a truth value may be called.
WORDS = {"yes": True, "no": False, "true": True, "false": False}


def _meant(value: Any) -> Any:
    """A number or truth value for a text that spells one, text without its case and its outer
    blanks, and Python's own values for those of NumPy.
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, str):
        return value
    text = value.strip().strip("\"'`.").casefold()
    if text in WORDS:
        return WORDS[text]
    for digits in (text.replace("_", ""), text.replace(",", "")):
        try:
            return float(digits)
        except ValueError:
            continue
    return text


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
