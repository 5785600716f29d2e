"""The one place through which text that a student chose leaves: for tables, JSON, CSV, pages, logs
and error messages.

What could drive a terminal, reorder a line, hide in it or break an encoding is written out, as
Python would write it: `\\x1b`, `\\u202e`. Terminal colours are dropped, since nobody would read
them as codes. What is left is printable text, of a length that is bounded.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

LINE = 600
BLOCK = 1 << 20
MAX_DEPTH = 40
_COLOUR = re.compile("\x1b\\[[0-9;:]{0,64}m")
# Cc, Cf, Cs, Co, Cn, Zl, Zp: everything that no printer shows. Blanks other than the space are
# shown as one.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# All that has to be looked up; the printable part of ASCII shows itself.
_UNUSUAL = re.compile("[^\\n\\t -~]")
# Marks that stand on one letter by the dozen paint over the lines around them.
_PILE = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4})[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
# Fillers: letters by category, and nothing to see.
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5\u034f") | {
    chr(code) for code in range(0x180B, 0x1810)
}
# Between letters of scripts that need them, and in emoji, joiners are spelling.
_JOINER = re.compile("(?<=[^\\x00-\u02ff])[\u200c\u200d](?=[^\\x00-\u02ff])")


def line(text: object, limit: int = LINE) -> str:
    """The text on one line, at most `limit` characters."""
    return _cut(block(" ".join(_str(text)[: 8 * limit].split())), limit)


def block(text: object, limit: int = BLOCK) -> str:
    """The text with its line breaks and tabs."""
    words = _COLOUR.sub("", _str(text)[: 2 * limit].replace("\r\n", "\n"))
    if not words.isascii():
        words = _PILE.sub("\\1", words)
    return _cut(_UNUSUAL.sub(lambda found: _shown(found[0]), words), limit)


def prose(text: str, limit: int = BLOCK) -> str:
    """As `block`, but joiners stay where a script or an emoji needs them: for what a student wrote
    to be read.
    """
    parts = _JOINER.split(text)
    return _cut(
        "".join(
            part
            for pair in zip(map(block, parts), [*_JOINER.findall(text), ""], strict=True)
            for part in pair
        ),
        limit,
    )


def data(value: Any, depth: int = 0) -> Any:
    """JSON data with every text in it, keys too, as `block` gives it."""
    if depth > MAX_DEPTH:
        return "…"
    if isinstance(value, str):
        return block(value)
    if isinstance(value, dict):
        return {block(key): data(item, depth + 1) for key, item in value.items()}
    return [data(item, depth + 1) for item in value] if isinstance(value, (list, tuple)) else value


def is_plain(text: str) -> bool:
    """Whether `block` would leave the text as it is."""
    return block(text) == text


def _shown(char: str) -> str:
    if char in _BLANK_LETTERS or unicodedata.category(char) in _HIDDEN:
        code = ord(char)
        return (
            f"\\x{code:02x}"
            if code < 0x100
            else f"\\u{code:04x}"
            if code < 0x10000
            else f"\\U{code:08x}"
        )
    return char


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _str(text: object) -> str:
    try:
        return text if type(text) is str else str(text)
    except Exception:  # somebody else's __str__ may raise anything  # noqa: BLE001
        return f"(a {type(text).__name__} without a text)"
