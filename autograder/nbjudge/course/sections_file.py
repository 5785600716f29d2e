"""The sections of a class, which nbgrader's gradebook has no place for: a file of the course folder
that only the grader reads, a section by student.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from nbjudge.grading.config.folders import Course, write_private

NAME = "sections.json"


class SectionsError(RuntimeError):
    """The file is damaged. The text says what to do."""


def read(course: Course) -> dict[str, str]:
    """The section of each student who has one. Raises SectionsError."""
    path = course.root / ".nbjudge" / NAME
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        found = error
    if isinstance(found, dict) and all(isinstance(section, str) for section in found.values()):
        return found
    raise SectionsError(
        f"{path} holds no sections: remove it, then type `course roster FILE.csv` again"
    )


def write(course: Course, sections: Mapping[str, str]) -> None:
    text = json.dumps(sections, indent=1, sort_keys=True, ensure_ascii=False)
    write_private(course.private() / NAME, text.encode())
