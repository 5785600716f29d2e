"""The class and its due dates in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC
from pathlib import Path
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from nbjudge import plain_text
from nbjudge.course.due import Due, Dues, words
from nbjudge.course.enrolment import FIELDS, ClassList, Member
from nbjudge.grading.config import zones
from nbjudge.grading.config.folders import Course

MOST_NAMES = 40


def show_class(done: ClassList, course: Course, file: Path | None) -> None:
    """After enrolling, those who are new or changed and a count of all; else the whole class."""
    console = _console()
    shown = [each for each in done.members if file is None or each.change]
    if shown:
        console.print(_class(shown, has_changes=file is not None))
    for line in _told(done, course, file):
        console.print(_plain(line), highlight=False)


def _class(members: list[Member], has_changes: bool) -> Table:
    last = "what was done" if has_changes else "handed in"
    table = _table("student", "name", "e-mail", "number", "section", last)
    for member in members:
        person = member.person
        table.add_row(
            _plain(person.id),
            _plain(f"{person.first_name} {person.last_name}".strip()),
            _plain(person.email),
            _plain(person.lms_user_id),
            _plain(member.section),
            _plain(_change(member) if has_changes else str(member.submissions or "")),
        )
    return table


def _change(member: Member) -> str:
    if member.change == "new":
        return "enrolled"
    before = [
        f"{FIELDS[key]} was {value}" if value else f"{FIELDS[key]} added"
        for key, value in member.before.items()
    ]
    return "; ".join(before)


def _told(done: ClassList, course: Course, file: Path | None) -> Iterator[str]:
    if file is not None:
        counts = [sum(one.change == kind for one in done.members) for kind in ("new", "changed")]
        yield f"{counts[0]} enrolled, {counts[1]} changed"
        if done.not_in_file:
            yield (
                f"in the gradebook and not in {file.name}, and kept: {_names(done.not_in_file)}. Who has left the class is removed by "
                f"`nbgrader db student remove STUDENT` in {course.root}"
            )
    yield from done.remarks
    if done.strangers:
        yield f"handed in, and not enrolled: {_names(done.strangers)}"
    count = len(done.members)
    yield f"{count} student{'s' * (count != 1)} in the class {course.course_id}, in {course.root}"


def _names(names) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def show_dues(done: Dues) -> None:
    """A line an assignment, then each extension, then what else there is to know."""
    console = _console()
    headings = ["assignment", "due", *(["in UTC"] if done.zone is not UTC else [])]
    table = _table(*headings, "submissions", "late", "extensions")
    for each in done.assignments:
        times = [] if done.zone is UTC else [zones.shown(each.when, UTC) if each.when else ""]
        table.add_row(
            _plain(each.assignment),
            zones.shown(each.when, done.zone) if each.when else "no due date",
            *times,
            str(each.submissions or ""),
            str(each.late or ""),
            str(len(each.extensions) or ""),
        )
    if done.assignments:
        console.print(table)
    for line in (*_extensions(done), *done.said):
        console.print(_plain(line), highlight=False)


def _extensions(done: Dues) -> Iterator[str]:
    for each in done.assignments:
        for student, entry in sorted(each.extensions.items()):
            yield f"{each.assignment}, {student}: {_ends(each, entry, done)}"


def _ends(each: Due, entry: Mapping[str, object], done: Dues) -> str:
    return words(entry, each.when, done.zone)


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for heading in headings:
        is_number = heading in ("submissions", "late", "extensions", "handed in")
        side: Literal["left", "right"] = "right" if is_number else "left"
        table.add_column(heading, justify=side, overflow="fold")
    return table


def _plain(text: str) -> Text:
    return Text(plain_text.block(text))


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=160)
