"""`course roster`: who is in the class, and a CSV file of people put into the gradebook.

1. Nobody is ever removed. Whoever is in the file is added, or brought up to date where a cell says
   something else than the gradebook; an empty cell changes nothing. Whoever is in the gradebook and
   not in the file is named, and stays.
2. Who a line is about: its id; without one, the enrolled student who has its e-mail address; else
   Moodle's `ID number`.
3. Refused by line and name, while the other lines are taken: a name that cannot be a student's
   folder; two lines that say different things of one student; an id that looks like another one
   (capitals, forms of letters, leading zeros), in the file, in the gradebook or in `submitted/`;
   a number of the learning platform, or an address, that is somebody else's; what no spreadsheet
   should have made of a number.
4. Names are kept in Unicode's composed form. A full name is cut at its comma, else before its last
   word.
5. Moodle's participant numbers ("Participant 4711") belong to one assignment and are not kept.
6. Sections have no place in nbgrader: they lie beside the gradebook (`class_files`), and so does
   what a platform calls a student beside the id.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any

from nbjudge.course import config as course_config
from nbjudge.course import roster
from nbjudge.course.class_files import PLATFORM_CELLS, PLATFORM_KEYS, SECTIONS
from nbjudge.course.roster import Person, Roster, folded
from nbjudge.grading.config.folders import Course
from nbjudge.grading.gradebook import database, record
from nbjudge.grading.intake.untrusted import shown

MAX_CELL = 128  # characters; a column of the gradebook holds no more
FIELDS = {
    "first_name": "first name",
    "last_name": "last name",
    "email": "e-mail",
    "lms_user_id": "number",
    "section": "section",
}
# 4.71E+06, or 4711.0: what a spreadsheet has made of a number.
ROUNDED = re.compile(r"\d+([.,]\d+)?E\+\d+|\d+[.,]0+", re.IGNORECASE)
PARTICIPANT = re.compile(r"[^\W\d]\D{4,}\d+")


class EnrolmentError(RuntimeError):
    """Nobody could be enrolled or listed. The text says why, and what to do."""


@dataclass(frozen=True)
class Member:
    """A student of the class. `change` says what this command did: "new", "changed" or nothing, and
    `before` what the changed fields held.
    """

    person: Person
    _: KW_ONLY
    section: str = ""
    change: str = ""
    before: Mapping[str, str] = field(default_factory=dict)
    submissions: int = 0

    def to_json(self) -> dict[str, object]:
        person = self.person
        return {
            "student": person.id,
            "first_name": person.first_name,
            "last_name": person.last_name,
            "email": person.email,
            "lms_user_id": person.lms_user_id,
            "section": self.section,
            "submissions": self.submissions,
            "change": self.change,
            "before": dict(self.before),
        }


@dataclass(frozen=True, kw_only=True)
class ClassList:
    """All who are enrolled, by id; `refused` are lines of the file that were not taken, in words;
    `not_in_file` are enrolled and not in it; `strangers` have handed in and are not enrolled.
    """

    members: Sequence[Member]
    refused: Sequence[str] = ()
    not_in_file: Sequence[str] = ()
    remarks: Sequence[str] = ()
    strangers: Sequence[str] = ()

    def to_json(self) -> dict[str, object]:
        return {
            "students": [member.to_json() for member in self.members],
            "refused": list(self.refused),
            "not_in_file": list(self.not_in_file),
            "handed_in_and_not_enrolled": list(self.strangers),
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True)
class _Line:
    """A line of the file that is about one student."""

    number: int
    person: Person
    section: str
    platform: Mapping[str, str] = field(default_factory=dict)


class _Refused(ValueError):
    """The line is not taken. The text says why."""


def enrolled(course: Course) -> ClassList:
    """Who is in the class. Raises EnrolmentError where there is no gradebook."""
    if not database.exists(course):
        raise EnrolmentError(
            f"{course.root} has no gradebook yet: type `course roster FILE.csv` to enrol a class, or use --course"
        )
    known = roster.of_course(course)
    return ClassList(
        members=_members(course, known), strangers=sorted(known.others - known.people.keys())
    )


def enrol(course: Course, path: Path, id_heading: str | None = None) -> ClassList:
    """Put the people of a CSV file into the gradebook. Raises EnrolmentError or RosterError, before
    anything is changed.
    """
    lines = list(roster.rows(path, id_heading))
    if not lines:
        raise EnrolmentError(f"{path} names nobody below its first line: nobody was enrolled")
    known = roster.of_course(course)
    taken, refused, remarks = _taken(lines, known)
    course_config.write(course)
    database.make(course)
    sections = SECTIONS.read(course)
    done = {line.person.id: _done(line, known, sections) for line in taken}
    with record.gradebook(course) as book:
        for member in done.values():
            if member.change:
                person = member.person
                book.update_or_create_student(
                    person.id,
                    first_name=person.first_name or None,
                    last_name=person.last_name or None,
                    email=person.email or None,
                    lms_user_id=person.lms_user_id or None,
                )
    new = {name: member.section for name, member in done.items() if member.section}
    if new.items() - sections.items():
        SECTIONS.write(course, sections | new)
    _keep_platform_cells(course, taken)
    after = roster.of_course(course)
    members = [
        replace(member, change=done[name].change, before=done[name].before)
        if (name := member.person.id) in done
        else member
        for member in _members(course, after)
    ]
    return ClassList(
        members=members,
        refused=refused,
        not_in_file=_missing(known, lines, done),
        remarks=remarks,
        strangers=sorted(after.others - after.people.keys()),
    )


def _keep_platform_cells(course: Course, taken: Sequence[_Line]) -> None:
    before = PLATFORM_CELLS.read(course)
    after = dict(before)
    for line in taken:
        if line.platform:
            after[line.person.id] = {**after.get(line.person.id, {}), **line.platform}
    if after != before:
        PLATFORM_CELLS.write(course, after)


def _missing(
    known: Roster, lines: Sequence[tuple[int, dict[str, str]]], done: Collection[str]
) -> list[str]:
    """Who is enrolled and not in the file, in any spelling."""
    looks = {_look(cells["id"]) for _, cells in lines if cells.get("id")}
    return sorted(name for name in known.people if name not in done and _look(name) not in looks)


def _members(course: Course, known: Roster) -> list[Member]:
    sections = SECTIONS.read(course)
    counts = {
        name: sum(entry.is_dir() for entry in (course.submitted / name).iterdir())
        for name in known.others & known.people.keys()
        if (course.submitted / name).is_dir()
    }
    return [
        Member(person, section=sections.get(name, ""), submissions=counts.get(name, 0))
        for name, person in sorted(known.people.items(), key=lambda pair: folded(pair[0]))
    ]


def _done(line: _Line, known: Roster, sections: Mapping[str, str]) -> Member:
    """What a line makes of its student: cells that say nothing leave what is known."""
    name = line.person.id
    before = known.people.get(name)
    if before is None:
        return Member(line.person, section=line.section, change="new")
    fields = [key for key in FIELDS if key != "section"]
    told = {key: value for key in fields if (value := getattr(line.person, key))}
    changed = {key: getattr(before, key) for key in told if getattr(before, key) != told[key]}
    section = line.section or sections.get(name, "")
    if section != sections.get(name, ""):
        changed["section"] = sections.get(name, "")
    change = "changed" if changed else ""
    return Member(replace(before, **told), section=section, change=change, before=changed)


def _taken(
    lines: Sequence[tuple[int, dict[str, str]]], known: Roster
) -> tuple[list[_Line], list[str], list[str]]:
    """The lines that are clear, why the others are not, and what else there is to say."""
    read = []
    refused = []
    for number, cells in lines:
        try:
            read.append(_read(number, cells, known))
        except _Refused as why:
            refused.append(f"line {number}: {why}")
    told, again = _merged(read)
    clashes = again | dict(_clashes([line for line in told if line.number not in again], known))
    refused += [f"line {number}: {why}" for number, why in clashes.items()]
    remarks = []
    if any(PARTICIPANT.fullmatch(cells.get("lms_user_id", "")) for _, cells in lines):
        remarks.append(
            "Moodle numbers participants anew in each assignment, so these numbers are not kept: give such a worksheet to "
            "`course collect --roster`"
        )
    taken = [line for line in told if line.number not in clashes]
    return taken, sorted(refused, key=_number), remarks


def _number(refusal: str) -> int:
    return int(re.findall(r"\d+", refusal)[0])


def _read(number: int, cells: Mapping[str, str], known: Roster) -> _Line:
    """Raises _Refused."""
    name = (
        cells.get("id") or _enrolled_with(cells.get("email", ""), known) or cells.get("id_number")
    )
    name = next((one for one in known.people if name and _composed(one) == name), name)
    if not name:
        who = cells.get("email") or cells.get("full_name") or cells.get("last_name") or "this line"
        raise _Refused(
            f"{shown(who)} has no id: fill in the column `student`, or name the column that holds the ids with `--id COLUMN`"
        )
    if name not in known.people and (problem := roster.problem_of(name)):
        raise _Refused(f"{shown(name)!r} cannot be a student's id, it {problem}")
    if ROUNDED.fullmatch(name):
        raise _Refused(
            f"{name!r} is a number that a spreadsheet has rounded or reshaped: make the column a text, and save the file again"
        )
    number_there = cells.get("lms_user_id", "")
    first_name, last_name = _name(cells)
    person = Person(
        name,
        first_name,
        last_name=last_name,
        email=cells.get("email", ""),
        lms_user_id="" if PARTICIPANT.fullmatch(number_there) else number_there,
    )
    platform = {key: cells[key] for key in PLATFORM_KEYS if cells.get(key)}
    line = _Line(number, person, cells.get("section", ""), platform)
    for value in platform.values():
        if len(value) > MAX_CELL or not value.isprintable():
            raise _Refused(f"what the platform calls {name} is too long, or cannot be shown")
    for key, word in FIELDS.items():
        value = _value(line, key)
        if len(value) > MAX_CELL:
            raise _Refused(f"the {word} of {name} is longer than {MAX_CELL} characters")
        if not all(char.isprintable() or char in "\u200c\u200d" for char in value):
            raise _Refused(f"the {word} of {name} holds characters that nobody can see")
    if ROUNDED.fullmatch(person.lms_user_id):
        raise _Refused(
            f"the number {person.lms_user_id!r} of {name} was reshaped by a spreadsheet: make the column a text, and save the file again"
        )
    return line


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _value(line: _Line, key: str) -> str:
    return line.section if key == "section" else getattr(line.person, key)


def _name(cells: Mapping[str, str]) -> tuple[str, str]:
    """First name and last name."""
    if cells.get("first_name") or cells.get("last_name"):
        return cells.get("first_name", ""), cells.get("last_name", "")
    last, comma, first = cells.get("full_name", "").partition(",")
    if comma:
        return first.strip(), last.strip()
    first, _, last = cells.get("full_name", "").rpartition(" ")
    return first, last


def _enrolled_with(email: str, known: Roster) -> str | None:
    found = [
        one.id for one in known.people.values() if email and folded(one.email) == folded(email)
    ]
    return found[0] if len(found) == 1 else None


def _merged(lines: Sequence[_Line]) -> tuple[list[_Line], dict[int, str]]:
    """One line a student: of several, the first one with what the others add to it. Also, by
    number, those that contradict one another.
    """
    merged: dict[str, _Line] = {}
    problems: dict[int, str] = {}
    for line in lines:
        first = merged.setdefault(line.person.id, line)
        if first is line:
            continue
        said = {key: (_value(first, key), _value(line, key)) for key in FIELDS if key != "section"}
        differing = [key for key, (one, other) in said.items() if one and other and one != other]
        if differing:
            word = FIELDS[differing[0]]
            one, other = said[differing[0]]
            why = f"{line.person.id} is in lines {first.number} and {line.number}, with the {word} {one!r} and {other!r}: keep one of them"
            problems |= {first.number: why, line.number: why}
            continue
        sections = dict.fromkeys(filter(None, (first.section, line.section)))
        added: dict[str, Any] = {key: one or other for key, (one, other) in said.items()}
        person = replace(first.person, **added)
        platform = {**line.platform, **first.platform}
        merged[line.person.id] = _Line(first.number, person, ", ".join(sections), platform)
    return list(merged.values()), problems


def _clashes(lines: Sequence[_Line], known: Roster) -> Iterator[tuple[int, str]]:
    """By number, lines whose student could be taken for another one."""
    told = {line.person.id: line for line in lines}
    looks: dict[str, list[str]] = {}
    for name in sorted({*told, *known.people, *known.others}):
        looks.setdefault(_look(name), []).append(name)
    numbers = _owners(told, known, "lms_user_id")
    emails = _owners(told, known, "email")
    for line in lines:
        name = line.person.id
        others = [other for other in looks[_look(name)] if other != name]
        if others and name not in known.people:
            yield line.number, _of_twin(name, others[0], told, known)
        elif same := numbers.get(folded(line.person.lms_user_id), set()) - {name}:
            yield (
                line.number,
                f"the number {line.person.lms_user_id} of {name} is that of {_listed(same)}, too: a number is one person's",
            )
        elif name not in known.people and (
            same := emails.get(folded(line.person.email), set()) - told.keys()
        ):
            yield (
                line.number,
                f"the address {line.person.email} of {name} is that of {_listed(same)} in the gradebook: write that id for the same person, "
                "else leave one address out",
            )


def _look(name: str) -> str:
    """What is the same for ids that people, file systems or spreadsheets mix up."""
    form = roster.look(name)
    return form.lstrip("0") or form if form.isdigit() else form


def _of_twin(name: str, other: str, told: Mapping[str, _Line], known: Roster) -> str:
    place = (
        f"line {told[other].number}"
        if other in told and other not in known.people
        else "the gradebook"
        if other in known.people
        else "submitted/"
    )
    return (
        f"{name!r} would stand beside {other!r} of {place}, and people, systems and spreadsheets take them for one: write the same id "
        "in both places"
    )


def _owners(told: Mapping[str, _Line], known: Roster, key: str) -> dict[str, set[str]]:
    """Who has each number or address, by the file and, for those who are not in it or of whom it
    does not say, by the gradebook.
    """
    owners: dict[str, set[str]] = {}
    said = {name: getattr(line.person, key) for name, line in told.items()}
    for name in {*said, *known.people}:
        value = said.get(name) or (getattr(known.people[name], key) if name in known.people else "")
        if value:
            owners.setdefault(folded(value), set()).add(name)
    return owners


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names))
