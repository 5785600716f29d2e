"""Extensions: who may hand in later, kept in the course folder, so that one can be granted before
anything is handed in.

nbgrader has a place for an extension beside each submission; it is filled from here whenever
penalties are worked out.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from nbjudge.grading.config import zones
from nbjudge.grading.config.folders import Course, write_private
from nbjudge.grading.intake import times

# assignment -> student -> {"minutes": number} or {"until": "2026-11-21 18:00:00"}, in UTC
Table = dict[str, dict[str, dict[str, object]]]


class ExtensionError(RuntimeError):
    """The extension cannot be recorded. The text says why, and what to type."""


MAX_MINUTES = 60 * 24 * 366
RESTORE = "restore it from a backup, or remove it and grant them again"


def read(course: Course) -> Table:
    """Every extension of the course. Raises ExtensionError when the file is damaged: nobody's may
    be forgotten silently.
    """
    path = course.root / ".nbjudge" / "extensions.json"
    try:
        table = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ExtensionError(f"{path} cannot be read ({error}): {RESTORE}") from None
    if isinstance(table, dict) and all(
        _is_entry(entry) for students in table.values() for entry in _values(students)
    ):
        return table
    raise ExtensionError(f"{path} is not a table of extensions: {RESTORE}")


def grant(
    course: Course,
    assignment: str,
    student: str,
    *,
    minutes: float | None = None,
    until: str | None = None,
    zone: tzinfo = UTC,
) -> str:
    """Record one, in place of an earlier one; 0 minutes take it back. `zone` is that of an `until`
    that names none. Returns it in words. Raises ExtensionError.
    """
    if (minutes is None) == (until is None):
        raise ExtensionError("say how long with --minutes, or until when with --until")
    table = read(course)
    students = table.setdefault(assignment, {})
    if minutes is None:
        students[student] = {"until": _time(str(until), zone)}
    elif not 0 <= minutes <= MAX_MINUTES:
        raise ExtensionError(
            f"{minutes:g} minutes is no extension: give a number between 0, which takes one back, and a year"
        )
    else:
        students[student] = {"minutes": minutes}
    write_private(
        course.private() / "extensions.json", json.dumps(table, indent=1, sort_keys=True).encode()
    )
    return words(students[student])


def words(entry: dict[str, object]) -> str:
    if "until" in entry:
        return f"until {entry['until']} UTC"
    return f"{entry['minutes']:g} minutes more" if entry["minutes"] else "no extension"


def length(entry: dict[str, Any], duedate: datetime | None) -> timedelta | None:
    """How much later than the due date (UTC, as nbgrader keeps it) the submission may be; None for
    not at all.
    """
    if duedate is None:
        return None
    if "minutes" in entry:
        return timedelta(minutes=float(entry["minutes"])) or None
    return max(datetime.fromisoformat(str(entry["until"])) - duedate, timedelta(0)) or None


def _time(text: str, zone: tzinfo) -> str:
    """The time in UTC."""
    try:
        when = zones.utc(text, zone)
    except zones.ZoneError as error:
        raise ExtensionError(str(error)) from None
    if when < times.now() - timedelta(days=366):
        raise ExtensionError(f"{text!r} is more than a year ago")
    return f"{when:%Y-%m-%d %H:%M:%S}"


def _values(students: object) -> list:
    return list(students.values()) if isinstance(students, dict) else [None]


def _is_entry(entry: object) -> bool:
    if not isinstance(entry, dict) or len(entry) != 1:
        return False
    minutes: Any = entry.get("minutes")
    until = entry.get("until")
    try:
        # A time with a zone could not be compared with the due date, which has none.
        return (
            datetime.fromisoformat(until).tzinfo is None if until else 0 <= minutes <= MAX_MINUTES
        )
    except (TypeError, ValueError):
        return False
