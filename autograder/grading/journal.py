"""The journal: each graded submission's result on disk before it reaches the gradebook, so that a killed run loses nothing.

A result is filed under the student and carries the key that it was computed for: the submission's bytes, the skeleton's version, the seed
and the checks. Another key, and it is graded again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import autograder
from autograder import exercises
from autograder.grading.folders import Course, write_private
from autograder.grading.results import SubmissionResult


class Journal:
    """Results of one assignment. `course` and `assignment` choose the folder."""

    def __init__(self, course: Course, assignment: str):
        self._folder = course.private("journal", assignment)

    def _path(self, student: str) -> Path:
        return self._folder / f"{hashlib.sha256(student.encode()).hexdigest()[:24]}.json"

    def read(self, student: str, key: str) -> dict | None:
        """The student's result for exactly that key, or None. A damaged file counts as none, and one that another version wrote."""
        entry = self._entry(student)
        if entry.get("key") != key or entry.get("student") != student:
            return None
        try:
            SubmissionResult.from_journal(entry["result"])
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        return entry["result"]

    def results(self) -> Iterator[SubmissionResult]:
        """What was graded last of each student, whatever it was graded with. Damaged files are left out."""
        for path in sorted(self._folder.glob("*.json")):
            entry = _read(path)
            try:
                result = SubmissionResult.from_journal(entry["result"])
            except (KeyError, TypeError, ValueError, AttributeError):
                continue
            if result.student == entry.get("student"):
                yield result

    def is_recorded(self, student: str, key: str) -> bool:
        """Whether the gradebook has taken the student's result for that key."""
        entry = self._entry(student)
        return entry.get("key") == key and entry.get("recorded") is True

    def _entry(self, student: str) -> dict:
        return _read(self._path(student))

    def write(self, student: str, key: str, result: dict, recorded: bool = False) -> None:
        entry = {"student": student, "key": key, "recorded": recorded, "result": result}
        write_private(self._path(student), json.dumps(entry).encode())


def _read(path: Path) -> dict:
    try:
        entry = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def key_of(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


# Of ours, what checks are made of; stored answers are not.
_PACKAGES = ("autograder", "workbench", "exercises")
_NO_CHECKS = frozenset({"__pycache__", "answers"})


def checks_version() -> str:
    """A hash of the installed packages' files, fixtures too, and of the course's own exercises: a changed check grades everybody again."""
    packages = Path(autograder.__file__).parent.parent
    return _version(tuple(packages / name for name in _PACKAGES), tuple(exercises.own()))


@cache
def _version(packages: tuple[Path, ...], own: tuple[Path, ...]) -> str:
    total = hashlib.sha256()
    for folder in (*packages, *own):
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and not _NO_CHECKS & set(path.parts)):
            total.update(path.relative_to(folder.parent).as_posix().encode() + path.read_bytes())
    return total.hexdigest()[:12]
