"""What a learning platform calls a student beside the id that nbgrader knows: a file of the course
folder that only the grader reads. It is written back when marks are exported.

`sis_user_id` is Canvas's *SIS User ID*; `written_id` the id as the platform writes it, where that is
not the id itself: Brightspace puts a `#` in front.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from nbjudge.grading.config.folders import Course, write_private

NAME = "platform_cells.json"
KEYS = ("sis_user_id", "written_id")
Cells = Mapping[str, str]


class PlatformCellsError(RuntimeError):
    """The file is damaged. The text says what to do."""


def read(course: Course) -> dict[str, Cells]:
    """By student, what is known. Raises PlatformCellsError."""
    path = course.root / ".nbjudge" / NAME
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        found = error
    if isinstance(found, dict) and all(
        isinstance(cells, dict) and all(isinstance(cell, str) for cell in cells.values())
        for cells in found.values()
    ):
        return found
    raise PlatformCellsError(
        f"{path} is damaged: remove it, then type `course roster FILE.csv` again"
    )


def write(course: Course, cells: Mapping[str, Cells]) -> None:
    text = json.dumps(cells, indent=1, sort_keys=True, ensure_ascii=False)
    write_private(course.private() / NAME, text.encode())
