"""What is known of students that nbgrader's gradebook has no place for: files of the course folder
that only the grader reads, each with one entry by student.

1. `SECTIONS`: the student's section, a text.
2. `PLATFORM_CELLS`: what a learning platform calls the student beside the id that nbgrader knows,
   texts by `PLATFORM_KEYS`. They are written back when marks are exported. `sis_user_id` is
   Canvas's *SIS User ID*; `written_id` the id as the platform writes it, where that is not the id
   itself: Brightspace puts a `#` in front.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from nbjudge.grading.config.folders import Course, write_private

PLATFORM_KEYS = ("sis_user_id", "written_id")
Entry = TypeVar("Entry")


class ClassFileError(RuntimeError):
    """The file is damaged. The text says what to do."""


@dataclass(frozen=True)
class ClassFile(Generic[Entry]):
    """One of the files; `is_entry` decides what may stand in it."""

    name: str
    is_entry: Callable[[object], bool]

    def read(self, course: Course) -> dict[str, Entry]:
        """Return the entries by student. Raises ClassFileError."""
        path = course.root / ".nbjudge" / self.name
        try:
            found = json.loads(path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            found = error
        if isinstance(found, dict) and all(map(self.is_entry, found.values())):
            return found
        raise ClassFileError(
            f"{path} is damaged: remove it, then type `course roster FILE.csv` again"
        )

    def write(self, course: Course, entries: Mapping[str, Entry]) -> None:
        text = json.dumps(entries, indent=1, sort_keys=True, ensure_ascii=False)
        write_private(course.private() / self.name, text.encode())


def _is_text(entry: object) -> bool:
    return isinstance(entry, str)


def _are_texts(entry: object) -> bool:
    return isinstance(entry, dict) and all(map(_is_text, entry.values()))


SECTIONS = ClassFile[str]("sections.json", _is_text)
PLATFORM_CELLS = ClassFile[Mapping[str, str]]("platform_cells.json", _are_texts)
