"""Who is in the class: the gradebook's students, and what a CSV file of the instructor's adds."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TextIO

from autograder.grading import gradebook as database
from autograder.grading import record
from autograder.grading.folders import Course
from autograder.grading.naming import folded
from autograder.grading.untrusted import is_plain, shown

MAX_NAME = 128  # bytes; the gradebook's column holds as many characters
# Headings that spreadsheets and learning platforms use, in lower case.
HEADINGS = {
    "id": ("id", "username", "student_id", "student"),
    "lms_user_id": ("lms_user_id", "identifier", "canvas_user_id", "moodle_id"),
    "email": ("email", "email address", "e-mail"),
    "first_name": ("first_name", "first name"),
    "last_name": ("last_name", "last name", "surname"),
    "full_name": ("full name", "full_name", "name"),
    "file": ("file", "archive", "zip"),
}


# Canvas's own gradebook calls the name "Student" and its number "ID".
CANVAS = {"id": ("sis login id",), "lms_user_id": ("id",), "full_name": ("student",)}


class RosterError(RuntimeError):
    """The list of students cannot be used. The text says where, and what to do."""


@dataclass(frozen=True)
class Person:
    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_user_id: str = ""

    @property
    def words(self) -> frozenset[str]:
        """The words of the name, to be compared whatever their order and case."""
        return words(f"{self.first_name} {self.last_name}")


@dataclass(frozen=True)
class Roster:
    """`people` by id. `others` are names that have submissions without being on it; `files` are
    archives that the instructor assigned.

    `assignments` are all that the course knows, so that an archive of another one is told apart.
    """

    people: Mapping[str, Person] = field(default_factory=dict)
    others: frozenset[str] = frozenset()
    files: Mapping[str, str] = field(default_factory=dict)
    assignments: frozenset[str] = frozenset()

    def with_lms_id(self, number: str) -> list[Person]:
        return [person for person in self.people.values() if person.lms_user_id == number]

    def twin(self, name: str) -> str | None:
        """Another name that looks the same to people or to some file systems (case, Unicode forms),
        unless this one is on the roster.
        """
        if name in self.people:
            return None
        return next(
            (
                other
                for other in sorted({*self.people, *self.others})
                if other != name and folded(other) == folded(name)
            ),
            None,
        )

    def twins(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """By name, the others among `names` that look the same, unless it is on the roster or has a
        submission: of two that come at once, none was there before the other.
        """
        alike: dict[str, set[str]] = defaultdict(set)
        for name in names:
            alike[folded(name)].add(name)
        there = {*self.people, *self.others}
        return {
            name: tuple(sorted(group - {name}))
            for group in alike.values()
            for name in group
            if len(group) > 1 and name not in there
        }


def of_course(course: Course) -> Roster:
    """The gradebook's students and assignments, and the names in `submitted/`. Raises what the
    gradebook raises.
    """
    entries = course.submitted.iterdir() if course.submitted.is_dir() else ()
    others = frozenset(entry.name for entry in entries if not entry.name.startswith("."))
    if not database.exists(course):
        return Roster(others=others)
    with record.gradebook(course) as book:
        people = {one.id: _person(one) for one in book.students}
        return Roster(people, others, assignments=frozenset(one.name for one in book.assignments))


def _person(student) -> Person:
    words = (student.first_name, student.last_name, student.email, student.lms_user_id)
    return Person(student.id, *(word or "" for word in words))


def with_csv(roster: Roster, path: Path) -> Roster:
    """Add a CSV file: one line a student, found by id or by e-mail; columns as in HEADINGS. Raises
    RosterError.
    """
    people, files = dict(roster.people), dict(roster.files)
    for number, row in _rows(path):
        where, name = f"{path}, line {number}", unicodedata.normalize("NFC", row.get("id", ""))
        name = name or _by_email(roster, row.get("email", ""))
        if not name:
            why = "no id, and no student with that e-mail: add a column `student`"
            raise RosterError(f"{where}: {why}")
        if problem := problem_of(name):
            raise RosterError(f"{where}: {shown(name)!r} {problem}")
        people[name] = _with_row(people.get(name, Person(name)), row)
        if row.get("file"):
            files[Path(row["file"]).name] = name
    return replace(roster, people=people, files=files)


def _with_row(known: Person, row: dict[str, str]) -> Person:
    # Moodle's grading worksheet writes "Participant 4711".
    lms = re.sub(r"^\D+", "", row.get("lms_user_id", ""))
    last = row.get("last_name", "") or row.get("full_name", "")
    return replace(
        known,
        lms_user_id=lms or known.lms_user_id,
        email=row.get("email") or known.email,
        first_name=known.first_name if known.words else row.get("first_name", ""),
        last_name=known.last_name if known.words else last,
    )


def problem_of(name: str) -> str | None:
    """Why a name cannot be a student's folder, or None."""
    if not name.strip():
        return "is empty"
    if not is_plain(name) or name != name.strip():
        return "holds characters that a folder's name cannot have"
    if name[0] in ".-":
        return f"starts with {name[0]!r}"
    if set(name) & set("*?[]:"):
        return "holds one of * ? [ ] :"
    if len(name.encode()) > MAX_NAME:
        return f"is longer than {MAX_NAME} bytes"
    return None if unicodedata.is_normalized("NFC", name) else "is not in Unicode's normal form"


def words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", folded(name)))


def _by_email(roster: Roster, email: str) -> str | None:
    found = [
        person.id
        for person in roster.people.values()
        if email and folded(person.email) == folded(email)
    ]
    return found[0] if len(found) == 1 else None


def _rows(path: Path) -> Iterable[tuple[int, dict[str, str]]]:
    lines = rows_of(path)
    _, first = next(lines, (0, []))
    places = _places(path, first)
    for number, row in lines:
        present = ((key, at) for key, at in places.items() if at < len(row))
        cells = {key: row[at].strip() for key, at in present}
        # Canvas has a line of points, spreadsheets have empty ones.
        if any(cells.get(key) for key in ("id", "email", "lms_user_id", "file")):
            yield number, cells


def rows_of(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file, each with its last line's number. Raises RosterError."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, delimiter=_delimiter(file))
            for row in reader:
                yield reader.line_num, row
    except OSError as error:
        raise RosterError(
            f"{path} cannot be read ({error.strerror}): name a CSV file that is there"
        ) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise RosterError(
            f"{path} cannot be read as CSV in UTF-8 ({error}): save it as “CSV UTF-8” in your spreadsheet"
        ) from None


def _delimiter(file: TextIO) -> str:
    """A comma, or what spreadsheets write where the comma is in numbers: a semicolon, or a tab."""
    first = file.readline()
    file.seek(0)
    return max(",;\t", key=first.count)


def _places(path: Path, first: list[str]) -> dict[str, int]:
    """Where each column is, by the first line. Raises RosterError."""
    header = [cell.strip().lower() for cell in first]
    headings = CANVAS if "sis login id" in header else HEADINGS
    named = ((key, name) for key, names in headings.items() for name in names)
    places = {key: header.index(name) for key, name in named if name in header}
    if not {"id", "email"} & set(places):
        raise RosterError(
            f"{path}: the first line must name the columns, one of them `student` (or `id`, `email`)"
        )
    return places
