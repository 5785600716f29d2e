"""Names and lists as sentences have them. A name comes out of a file, so nothing in it reaches a
terminal or a page as it stands: control characters are written as escapes, long names are cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from formatlab.in_words import plain as plain

# How many names a sentence holds before it says "and 5 more".
LISTED = 3


# Words that sentences begin with. What else begins one is a name, whose letters say which it is.
FIRST_WORDS = frozenset(
    {"the", "in", "input", "inputs", "nothing", "only", "notes", "no", "another"}
)


def capital(text: str) -> str:
    """The sentence with a capital at its beginning, unless it begins with a name."""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first in FIRST_WORDS else text


def quoted(name: str) -> str:
    return f"`{plain(name)}`"


def joined(parts: Sequence[str]) -> str:
    """`a`, `b` and `c`."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def listed(names: Iterable[str], at_most: int = LISTED) -> str:
    """The first of several names, and how many more there are. Names that hold commas are parted by
    semicolons.
    """
    found = list(names)
    comma = "; " if any(", " in each or " and " in each for each in found) else ", "
    if len(found) > at_most + 1:
        found = [*found[:at_most], f"{len(found) - at_most} more"]
    return joined(found) if comma == ", " else "; ".join(found)


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 node`, `2 nodes`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}".replace(",", "\u202f")


def number(value: object) -> str:
    """One number of a tensor, short enough for a sentence."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    return plain(str(value), 24)
