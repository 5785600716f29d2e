"""Who is in the class: the gradebook's students, and what a CSV file of the instructor's adds."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path

from nbjudge.course import spreadsheets
from nbjudge.grading.config.folders import Course
from nbjudge.grading.intake.notebook_names import folded
from nbjudge.grading.intake.untrusted import is_plain, shown

MAX_NAME = 128  # bytes; the gradebook's column holds as many characters
# Headings that spreadsheets and learning platforms use, in small letters; the first one that is
# there counts.
HEADINGS = {
    "id": ("student", "student_id", "username", "login", "anmeldename", "id"),
    "id_number": ("id number", "id-nummer"),
    "lms_user_id": ("lms_user_id", "identifier", "canvas_user_id", "moodle_id"),
    "email": ("email", "email address", "e-mail", "e-mail-adresse", "mail"),
    "first_name": ("first_name", "first name", "firstname", "given name", "vorname"),
    "last_name": ("last_name", "last name", "lastname", "surname", "family name", "nachname"),
    "full_name": ("full name", "full_name", "name", "vollständiger name"),
    "section": ("section", "sections", "group", "groups", "group1", "gruppe", "gruppen"),
    "file": ("file", "archive", "zip"),
}
# Canvas's own gradebook calls the name "Student" and its number "ID".
CANVAS = {
    "id": ("sis login id", "sis user id"),
    "lms_user_id": ("id",),
    "full_name": ("student",),
    "email": ("email", "email address"),
    "section": ("section",),
    "sis_user_id": ("sis user id",),
}
CANVAS_ONLY = {"sis login id", "sis user id", "section"}
# Letters of Cyrillic and Greek that people take for Latin ones, in small letters.
_LOOKS_LATIN = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0456\u0458\u04bb\u04cf\u0501\u051b\u051d"
    "\u03b1\u03b2\u03b5\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03f2\u03f3\u0131",
    "abekmhopctyxsijhldqwabeikvoptuxcji",
)
# Canvas lists the student as whom an instructor tries the course.
TEST_STUDENT = "student, test"


class RosterError(RuntimeError):
    """The list of students cannot be used. The text says where, and what to do."""


@dataclass(frozen=True)
class Person:
    id: str
    first_name: str = ""
    _: KW_ONLY
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
        """Another name that looks the same to people or to some file systems (`look`), unless this
        one is on the roster.
        """
        if name in self.people:
            return None
        return next(
            (
                other
                for other in sorted({*self.people, *self.others})
                if other != name and look(other) == look(name)
            ),
            None,
        )

    def twins(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """By name, the others among `names` that look the same, unless it is on the roster or has a
        submission: of two that come at once, none was there before the other.
        """
        alike: dict[str, set[str]] = defaultdict(set)
        for name in names:
            alike[look(name)].add(name)
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
    # Handing in asks this module what a name may be, and brings no nbgrader.
    from nbjudge.grading.gradebook import database, record

    entries = course.submitted.iterdir() if course.submitted.is_dir() else ()
    others = frozenset(entry.name for entry in entries if not entry.name.startswith("."))
    if not database.exists(course):
        return Roster(others=others)
    with record.gradebook(course) as book:
        people = {one.id: _person(one) for one in book.students}
        return Roster(people, others, assignments=frozenset(one.name for one in book.assignments))


def _person(student) -> Person:
    return Person(
        student.id,
        student.first_name or "",
        last_name=student.last_name or "",
        email=student.email or "",
        lms_user_id=student.lms_user_id or "",
    )


def with_csv(roster: Roster, path: Path) -> Roster:
    """Add a CSV file: one line a student, found by id or by e-mail; columns as in HEADINGS. Raises
    RosterError.
    """
    people = dict(roster.people)
    files = dict(roster.files)
    for number, row in rows(path):
        where = f"{path}, line {number}"
        name = row.get("id")
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


def look(name: str) -> str:
    """What is the same for names that people or some file systems take for one: of another case or
    Unicode form, with a letter of another script, with a dot or a blank at the end.
    """
    return folded(name).translate(_LOOKS_LATIN).rstrip(". ")


def words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", folded(name)))


def _by_email(roster: Roster, email: str) -> str | None:
    found = [
        person.id
        for person in roster.people.values()
        if email and folded(person.email) == folded(email)
    ]
    return found[0] if len(found) == 1 else None


def rows(path: Path, id_heading: str | None = None) -> Iterator[tuple[int, dict[str, str]]]:
    """The lines of a CSV file that are about somebody, by their number, with the cells that
    HEADINGS knows. `id_heading` names the column of the students' ids. Where each id begins with the
    `#` that Brightspace writes, it is no part of it, and `written_id` keeps it. Raises RosterError.
    """
    known = {name for names in HEADINGS.values() for name in names} | CANVAS_ONLY
    try:
        table = spreadsheets.read(path, known)
    except spreadsheets.TableError as problem:
        raise RosterError(str(problem)) from None
    places = _places(path, table.headings, id_heading)
    at_id = places.get("id", len(table.headings))
    ids = [row[at_id] for _, row in table.rows if at_id < len(row) and row[at_id]]
    is_marked = bool(ids) and all(re.match(r"#[^#]", one) for one in ids)
    for number, row in table.rows:
        cells = {key: row[at] for key, at in places.items() if at < len(row)}
        if is_marked and cells.get("id"):
            cells |= {"written_id": cells["id"], "id": cells["id"][1:]}
        is_nobody = cells.get("full_name", "").casefold() == TEST_STUDENT
        # Canvas has a line of points, spreadsheets have empty ones.
        if not is_nobody and any(
            map(cells.get, ("id", "id_number", "email", "lms_user_id", "file"))
        ):
            yield number, cells


def _places(path: Path, header: list[str], id_heading: str | None) -> dict[str, int]:
    """Where each column is, by the first line. Raises RosterError."""
    is_canvas = {"student", "id"} <= set(header) and CANVAS_ONLY & set(header)
    headings = CANVAS if is_canvas else HEADINGS
    found = {key: next(filter(header.__contains__, names), None) for key, names in headings.items()}
    if id_heading is not None:
        found["id"] = " ".join(id_heading.split()).casefold()
        if found["id"] not in header:
            raise RosterError(
                f"{path} has no column {id_heading!r}; it has: {', '.join(filter(None, header))}"
            )
    places = {key: header.index(name) for key, name in found.items() if name is not None}
    if not {"id", "id_number", "email"} & set(places):
        if is_canvas:
            raise RosterError(
                f"{path}: Canvas has left out the students' logins: export it as somebody who may see them, or add a column `SIS Login ID`"
            )
        there = ", ".join(filter(None, header[:12])) or "nothing"
        raise RosterError(
            f"{path}: the first line must name the columns, one of them `student` (or `id`, `email`); it names: {there}"
        )
    return places
