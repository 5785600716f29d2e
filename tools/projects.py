"""The distributions of this repository and what they need, from their pyproject.toml.

The standard library alone, as in prepare.py.
"""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COURSE = "formatlab-exercises"
# In the order in which they are installed: the last one's script `course` is the one that stays.
FOLDERS = {"formatlab": ROOT / "workbench", COURSE: ROOT, "nbjudge": ROOT / "autograder"}
# The folders with the files of each one's wheel.
SOURCES = {
    "formatlab": [ROOT / "workbench"],
    COURSE: [ROOT / "exercises", *(ROOT / "labs").glob("*/references")],
    "nbjudge": [ROOT / "autograder"],
}
# The extras of the whole course. Without them, it is the part that a student needs beside any editor.
WHOLE = ("course",)
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[([\w, -]+)\])?")


def project(name: str) -> dict:
    """The table `project` of a distribution's pyproject.toml."""
    text = (FOLDERS[name] / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]


def requirements(name: str, extras: Iterable[str] = ()) -> list[str]:
    """What a distribution with some of its extras needs, sorted. In the place of a distribution of
    this repository stands what that needs.
    """
    table = project(name)
    wanted = [*table["dependencies"]]
    for extra in extras:
        wanted += table["optional-dependencies"][extra]
    found: set[str] = set()
    for text in wanted:
        needed, inner = _REQUIREMENT.match(text).groups()
        if needed in FOLDERS:
            found |= set(requirements(needed, re.findall(r"[\w-]+", inner or "")))
        else:
            found.add(text)
    return sorted(found)


def only_in(extra: str) -> list[str]:
    """What one of the course's extras adds to what the course needs anyway."""
    return [
        text for text in requirements(COURSE, [extra]) if text not in requirements(COURSE, WHOLE)
    ]


def extras() -> list[str]:
    """The names of the course's extras."""
    return list(project(COURSE)["optional-dependencies"])
