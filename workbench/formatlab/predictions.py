"""Predictions: the reader writes an answer before a cell runs, and one line compares it with what
came out.

A right answer counts however it is typed. What was found decides how a prediction is read:

1. Text counts in any case, with or without quotes, an article or a full stop; yes and no are true
   and false.
2. A number may be written as text: with separators of thousands, with a decimal comma, as a
   fraction or in per cent, with "about" in front of it and a unit behind it.
3. A list may be written as one text with commas. A list of one is also its item, and an empty one
   is "none". Items of a set count in any order.
4. Bytes may be written as the text that they spell, and a single byte as its number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

NONE_YET = "none yet. Write it in place of the dots and run the cell again."
TRUTH = {"yes": True, "no": False, "y": True, "n": False, "true": True, "false": False}
NOTHING = ("none", "nothing", "neither", "zero")
COUNTS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
WORDS: dict[str, float] = {"half": 0.5}
WORDS |= {name: 0 for name in NOTHING}
WORDS |= {name: count for count, name in enumerate(COUNTS, start=1)}
BEFORE = re.compile(r"^(?:(?:about|around|roughly|approximately|exactly|opset)\b|[~≈=])\s*")
# A unit; the words that would make another number of it are none.
BEHIND = re.compile(r"\s*(?!(?:k|m|thousand|million|billion|hundred|dozen|or|not)$)[a-z/]+$")
THOUSANDS = re.compile(r"-?\d{1,3}(?:[,_ ']\d{3})+")
ROUNDING = 1e-6  # Two ways to compute the same number may differ by this much.


def compare(guess: Any, found: Any, within: float = 0.0, also: Collection[Any] = ()) -> None:
    """Say what was predicted and what was found. `guess` is `...` until the reader writes one.

    `within` is the relative error that the page grants to numbers. `also` are other names of what
    was found.
    """
    if guess is ... or (isinstance(guess, Sequence) and any(each is ... for each in guess)):
        print(f"Found: {found}. Your prediction: {NONE_YET}")
        return
    if is_right(guess, found, within, also):
        said = "Right."
    elif _holds_the_same(guess, found, within):
        said = "The same items, in another order."
    else:
        said = "Not this time."
    print(f"Found: {found}. Your prediction: {guess}. {said}")


def is_right(guess: Any, found: Any, within: float = 0.0, also: Collection[Any] = ()) -> bool:
    """Whether a prediction says what was found, however it is typed."""
    return any(_says(guess, name, within) for name in (found, *also))


def _says(guess: Any, found: Any, within: float) -> bool:
    guess, found = _of_python(guess), _of_python(found)
    if str(guess) == str(found):
        return True
    if isinstance(found, (list, tuple)):
        return _says_items(guess, found, within)
    if isinstance(found, (set, frozenset)):
        return _holds_the_same(guess, found, within)
    if isinstance(guess, (list, tuple)):
        return len(guess) == 1 and _says(guess[0], found, within)
    if isinstance(found, bytes):
        return guess == found or _bytes(guess) == found
    if any(_is_close(*pair, within) for pair in product(_numbers(guess), _numbers(found)[:1])):
        return True
    truth = _truth(found)
    if truth is not None and isinstance(guess, (str, bool)):
        return _truth(guess) is truth
    return _text(guess) == _text(found) != ""


def _says_items(guess: Any, found: Sequence[Any], within: float) -> bool:
    if len(found) == 1 and not isinstance(guess, (list, tuple)) and _says(guess, found[0], within):
        return True
    items = _items(guess)
    return len(items) == len(found) and all(
        _says(item, one, within) for item, one in zip(items, found, strict=True)
    )


def _holds_the_same(guess: Any, found: Any, within: float) -> bool:
    """Whether both hold the same items, each as often as in the other, in any order."""
    guess, found = _of_python(guess), _of_python(found)
    if not isinstance(found, (list, tuple, set, frozenset)):
        return False
    left = list(found)
    items = _items(guess)
    for item in items:
        place = next((i for i, one in enumerate(left) if _says(item, one, within)), None)
        if place is None:
            return False
        left.pop(place)
    return not left


def _of_python(value: Any) -> Any:
    """Python's own value for one of NumPy, and its name for a member of an enumeration."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return value.name if hasattr(value, "__members__") else value


def _items(value: Any) -> list[Any]:
    """What a prediction lists, which may be written as one text."""
    if value is None or (isinstance(value, str) and _text(value) in NOTHING):
        return []
    if isinstance(value, str):
        items = re.split(r"\s*(?:[,;]|\band\b)\s*", value.strip("[](){} "))
        return [item for item in items if item]
    return list(value) if isinstance(value, Collection) else [value]


def _text(value: Any) -> str:
    text = " ".join(str(value).split()).strip("\"'`.!() ").casefold()
    return re.sub(r"^(?:the|an?) (?=.)", "", text)


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else TRUTH.get(_text(value))


def _bytes(value: Any) -> bytes | None:
    if isinstance(value, str):
        return b" " if _text(value) == "space" else value.encode()
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 256:
        return bytes([value])
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Fraction)) and not isinstance(value, bool)


def _is_close(guess: Any, found: Any, within: float) -> bool:
    if guess == found or (guess != guess and found != found):
        return True
    rounding = 0.0 if isinstance(found, int) else ROUNDING
    try:
        return math.isclose(guess, found, rel_tol=within or rounding)
    except OverflowError:
        return False


def _numbers(value: Any) -> list[Any]:
    """The numbers that a value may mean: none, one, or two where it says per cent."""
    if not isinstance(value, str):
        return [value] if _is_number(value) else []
    text = BEFORE.sub("", _text(value).replace("\N{MINUS SIGN}", "-").replace("∞", "inf"))
    share = re.fullmatch(r"(.+?)\s*(?:%|per ?cent)", text)
    if share:
        return [number for each in _spelled(share[1]) for number in (each, each / 100)]
    return _spelled(text) or _spelled(BEHIND.sub("", text))


def _spelled(text: str) -> list[Any]:
    if text in WORDS:
        return [WORDS[text]]
    if THOUSANDS.fullmatch(text):
        text = re.sub(r"[^-\d]", "", text)
    text = re.sub(r"^(-?\d+),(\d+)$", r"\1.\2", text)
    for read in (int, Fraction, float):
        try:
            return [read(text)]
        except (ValueError, ZeroDivisionError):
            continue
    return []
