"""Names that every student's system can hold: of an assignment, its notebooks, and the files that
are handed out beside them.

1. No two names in a folder that macOS or Windows take for one: they differ in capitals, or in how
   Unicode writes the same letters.
2. No name that Windows keeps for itself, no character that it does not take, and no dot or blank at
   the end.
3. No name that cannot be shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath

from nbjudge.grading.intake.untrusted import is_plain, shown

_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³])\s*(\..*)?", re.I)
_FORBIDDEN = re.compile(r'[<>:"|?*]')


def problem_of(paths: Iterable[str]) -> str | None:
    """What is wrong with the first of some paths in a folder, with `/` between their parts, that a
    student could not hold; None where all can be held.
    """
    seen: dict[str, str] = {}
    for path in paths:
        for whole in (*reversed(PurePosixPath(path).parents[:-1]), PurePosixPath(path)):
            if problem := _problem_of_part(whole.name):
                return f"{shown(whole.as_posix())!r} {problem}"
            twin = seen.setdefault(_folded(whole.as_posix()), whole.as_posix())
            if twin != whole.as_posix():
                return (
                    f"{_apart(twin, whole.as_posix())}, so macOS and Windows hold only one of them"
                )
    return None


def _folded(path: str) -> str:
    """What is the same for names that some system takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _apart(one: str, other: str) -> str:
    """What tells two names apart that some system takes for one."""
    if unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other):
        return f"{one!a} and {other!a} are the same letters, which Unicode writes in two ways"
    return f"{shown(one)!r} and {shown(other)!r} differ in capitals alone"


def _problem_of_part(name: str) -> str | None:
    if not is_plain(name):
        return "holds a character that cannot be shown, or a backslash"
    if _RESERVED.fullmatch(name):
        return "is a name that Windows keeps for devices"
    if found := _FORBIDDEN.search(name):
        return f"holds {found[0]!r}, which Windows does not take in names"
    if name[-1] in ". ":
        return "ends with a dot or a blank, which Windows takes off"
    return None
