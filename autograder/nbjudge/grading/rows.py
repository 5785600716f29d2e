"""What nbgrader's gradebook holds of submissions: the rows of several are read together, and written
together.

nbgrader's own methods ask for each row by itself. The tables, the defaults and the values are
nbgrader's; only the number of statements is another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from types import SimpleNamespace

from nbgrader.api import (
    BaseCell,
    Comment,
    Grade,
    GradeCell,
    MissingEntry,
    Notebook,
    SolutionCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
    new_uuid,
)
from sqlalchemy import Table, Update, bindparam, select
from sqlalchemy.orm import Session

# What of a row comes from the automatic grading; the rest is a person's.
MARKS = {Grade: ("auto_score", "needs_manual_grade"), Comment: ("auto_comment",)}
KINDS = {Grade: (GradeCell, TaskCell), Comment: (SolutionCell, TaskCell)}
Name = tuple[str, str]  # of a notebook, and of a cell in it


@dataclass(frozen=True)
class Published:
    """The part of an assignment that every submission has in common: ids by name."""

    assignment: str
    notebooks: Mapping[str, str]
    cells: Mapping[type, Mapping[Name, str]]

    @classmethod
    def of(cls, db: Session, assignment: str) -> Published:
        """`assignment` is its id."""
        notebooks = select(Notebook.name, Notebook.id).where(Notebook.assignment_id == assignment)
        cells = {kind: dict(_cells(db, assignment, types)) for kind, types in KINDS.items()}
        return cls(assignment, dict(db.execute(notebooks).all()), cells)


def _cells(db: Session, assignment: str, types: Iterable[type]) -> Iterator[tuple[Name, str]]:
    wanted = [each.__mapper__.polymorphic_identity for each in types]
    rows = (
        select(Notebook.name, BaseCell.name, BaseCell.id)
        .join(Notebook, BaseCell.notebook_id == Notebook.id)
        .where(Notebook.assignment_id == assignment, BaseCell.type.in_(wanted))
    )
    for notebook, name, cell in db.execute(rows):
        yield (notebook, name), cell


@dataclass
class Rows:
    """One submission's grades and comments. It answers what SaveAutoGrades asks of a gradebook."""

    grades: dict[Name, SimpleNamespace]
    comments: dict[Name, SimpleNamespace]
    db: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(commit=lambda: None))

    def find_grade(
        self, name: str, notebook: str, assignment: str, student: str
    ) -> SimpleNamespace:
        return _found(self.grades, (notebook, name))

    def find_comment(
        self, name: str, notebook: str, assignment: str, student: str
    ) -> SimpleNamespace:
        return _found(self.comments, (notebook, name))


def _found(rows: Mapping[Name, SimpleNamespace], name: Name) -> SimpleNamespace:
    if name not in rows:
        raise MissingEntry(f"the gradebook has no cell {name[1]!r} in {name[0]!r}")
    return rows[name]


class Entries:
    """Students' submissions of one assignment in the gradebook, new or not: however many they are,
    each table is read once, and written once. The caller commits.
    """

    def __init__(self, db: Session, published: Published, students: Iterable[str]):
        self._db, self._published = db, published
        students = list(students)
        known = self._known(students)
        self._strangers = [student for student in students if student not in known]
        self._new = [student for student in students if known.get(student) is None]
        self._stored = {known[student]: student for student in students if known.get(student)}
        self._marked = {kind: self._read(kind) for kind in KINDS}
        self._before = {
            row.id: _marks(kind, row)
            for kind, by_student in self._marked.items()
            for student in self._stored.values()
            for row in by_student[student].values()
        }

    def rows(self, student: str) -> Rows:
        return Rows(self._marked[Grade][student], self._marked[Comment][student])

    def write(self, when: Mapping[str, datetime | None]) -> None:
        """Write what was marked; by student, `when` it was handed in, or None where nobody knows."""
        self._insert(when)
        self._update(when)

    def _known(self, students: list[str]) -> dict[str, str | None]:
        """Students that the gradebook has, with the ids of their submissions."""
        table = SubmittedAssignment
        of_student = (table.student_id == Student.id) & (
            table.assignment_id == self._published.assignment
        )
        found = select(Student.id, table.id).outerjoin(table, of_student)
        return dict(self._db.execute(found.where(Student.id.in_(students))).all())

    def _read(self, kind: type) -> dict[str, dict[Name, SimpleNamespace]]:
        """By student. New rows are as nbgrader makes them: nothing is marked, and a person is to
        look at it.
        """
        names = self._published.cells[kind]
        found = {student: {name: _empty(kind) for name in names} for student in self._new}
        found |= {student: {} for student in self._stored.values()}
        for row in self._rows_of(kind) if self._stored else ():
            student = self._stored[row.pop("submission")]
            found[student][row.pop("notebook"), row.pop("cell")] = SimpleNamespace(**row)
        return found

    def _rows_of(self, kind: type) -> Iterator[dict]:
        columns = [kind.id, *(getattr(kind, each) for each in MARKS[kind])]
        manual = [Grade.manual_score] if kind is Grade else []
        names = (
            SubmittedNotebook.assignment_id.label("submission"),
            Notebook.name.label("notebook"),
            BaseCell.name.label("cell"),
        )
        found = (
            select(*names, *columns, *manual)
            .select_from(kind)
            .join(BaseCell, kind.cell_id == BaseCell.id)
            .join(SubmittedNotebook, kind.notebook_id == SubmittedNotebook.id)
            .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
            .where(
                SubmittedNotebook.assignment_id.in_(self._stored),
                # These lead nbgrader's indexes: without them, tables would be read to their end.
                SubmittedNotebook.notebook_id.in_(self._published.notebooks.values()),
                kind.cell_id.in_(self._published.cells[kind].values()),
            )
        )
        return map(dict, self._db.execute(found).mappings())

    def _insert(self, when: Mapping[str, datetime | None]) -> None:
        given, ids = self._published, {student: new_uuid() for student in self._new}
        books = {(student, name): new_uuid() for student in ids for name in given.notebooks}
        self._into(Student, [{"id": student} for student in self._strangers])
        handed_in = [
            {
                "id": own,
                "assignment_id": given.assignment,
                "student_id": student,
                "timestamp": when[student],
            }
            for student, own in ids.items()
        ]
        self._into(SubmittedAssignment, handed_in)
        notebooks = [
            {"id": book, "assignment_id": ids[student], "notebook_id": given.notebooks[name]}
            for (student, name), book in books.items()
        ]
        self._into(SubmittedNotebook, notebooks)
        for kind in given.cells:
            self._into(kind, [row for student in ids for row in self._cells(kind, student, books)])

    def _cells(self, kind: type, student: str, books: Mapping[tuple, str]) -> Iterator[dict]:
        cells = self._published.cells[kind]
        for name, row in self._marked[kind][student].items():
            place = {"notebook_id": books[student, name[0]], "cell_id": cells[name]}
            yield {**place, **_marks(kind, row)}

    def _update(self, when: Mapping[str, datetime | None]) -> None:
        times = [
            {"which": own, "timestamp": when[student]}
            for own, student in self._stored.items()
            if when[student] is not None
        ]
        self._change(SubmittedAssignment, times)
        for kind, by_student in self._marked.items():
            found = (by_student[student].values() for student in self._stored.values())
            marks = {row.id: _marks(kind, row) for row in chain.from_iterable(found)}
            changed = [
                {"which": own, **new} for own, new in marks.items() if new != self._before[own]
            ]
            self._change(kind, changed)

    def _into(self, kind: type, rows: list[dict]) -> None:
        if rows:
            self._db.connection().execute(_table(kind).insert(), rows)

    def _change(self, kind: type, rows: list[dict]) -> None:
        if rows:
            self._db.connection().execute(changing(kind), rows)


def changing(kind: type) -> Update:
    """Change the row whose id is given as `which`."""
    table = _table(kind)
    return table.update().where(table.c.id == bindparam("which"))


def _table(kind: type) -> Table:
    return kind.__table__


def _empty(kind: type) -> SimpleNamespace:
    if kind is Grade:
        return SimpleNamespace(auto_score=None, manual_score=None, needs_manual_grade=True)
    return SimpleNamespace(auto_comment=None)


def _marks(kind: type, row: SimpleNamespace) -> dict[str, object]:
    return {each: getattr(row, each) for each in MARKS[kind]}
