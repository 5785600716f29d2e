"""What nbgrader's gradebook holds of one submission: its rows are read together, and written
together.

nbgrader's own methods ask for each row by itself. The tables, the defaults and the values are
nbgrader's; only the number of statements is another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
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
from sqlalchemy import Table, bindparam, select
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


class Entry:
    """One student's submission of an assignment in the gradebook, new or not. The caller commits."""

    def __init__(self, db: Session, published: Published, student: str):
        self._db, self._published, self._student = db, published, student
        self._id = db.scalar(
            select(SubmittedAssignment.id).where(
                SubmittedAssignment.assignment_id == published.assignment,
                SubmittedAssignment.student_id == student,
            )
        )
        self.is_new = self._id is None
        self._marked = {
            kind: self._fresh(kind) if self.is_new else self._stored(kind) for kind in KINDS
        }
        self._before = {
            kind: {name: _marks(kind, row) for name, row in rows.items()}
            for kind, rows in self._marked.items()
        }
        self.rows = Rows(self._marked[Grade], self._marked[Comment])

    def _fresh(self, kind: type) -> dict[Name, SimpleNamespace]:
        """Rows as nbgrader makes them: nothing is marked, and a person is to look at it."""
        return {name: _empty(kind) for name in self._published.cells[kind]}

    def _stored(self, kind: type) -> dict[Name, SimpleNamespace]:
        columns = [kind.id, *(getattr(kind, each) for each in MARKS[kind])]
        manual = [Grade.manual_score] if kind is Grade else []
        found = (
            select(Notebook.name.label("notebook"), BaseCell.name.label("cell"), *columns, *manual)
            .select_from(kind)
            .join(BaseCell, kind.cell_id == BaseCell.id)
            .join(SubmittedNotebook, kind.notebook_id == SubmittedNotebook.id)
            .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
            .where(
                SubmittedNotebook.assignment_id == self._id,
                # These lead nbgrader's indexes: without them, tables would be read to their end.
                SubmittedNotebook.notebook_id.in_(self._published.notebooks.values()),
                kind.cell_id.in_(self._published.cells[kind].values()),
            )
        )
        rows = map(dict, self._db.execute(found).mappings())
        return {(row.pop("notebook"), row.pop("cell")): SimpleNamespace(**row) for row in rows}

    def write(self, when: datetime | None) -> None:
        """Write what was marked; `when` it was handed in, or None where nobody knows."""
        if self.is_new:
            self._insert(when)
        else:
            self._update(when)

    def _insert(self, when: datetime | None) -> None:
        if self._db.scalar(select(Student.id).where(Student.id == self._student)) is None:
            self._into(Student, [{"id": self._student}])
        self._id, given = new_uuid(), self._published
        own = {"id": self._id, "assignment_id": given.assignment, "student_id": self._student}
        self._into(SubmittedAssignment, [{**own, "timestamp": when}])
        books = {name: new_uuid() for name in given.notebooks}
        self._into(
            SubmittedNotebook,
            [
                {"id": book, "assignment_id": self._id, "notebook_id": given.notebooks[name]}
                for name, book in books.items()
            ],
        )
        for kind, rows in self._marked.items():
            cells = given.cells[kind]
            new = [
                {"notebook_id": books[name[0]], "cell_id": cells[name], **_marks(kind, row)}
                for name, row in rows.items()
            ]
            self._into(kind, new)

    def _update(self, when: datetime | None) -> None:
        if when is not None:
            table = _table(SubmittedAssignment)
            self._db.execute(table.update().where(table.c.id == self._id).values(timestamp=when))
        for kind, rows in self._marked.items():
            before = self._before[kind]
            changed = [
                {"which": row.id, **marks}
                for name, row in rows.items()
                if (marks := _marks(kind, row)) != before[name]
            ]
            table = _table(kind)
            wanted = table.update().where(table.c.id == bindparam("which"))
            if changed:
                self._db.connection().execute(wanted, changed)

    def _into(self, kind: type, rows: list[dict]) -> None:
        if rows:
            self._db.connection().execute(_table(kind).insert(), rows)


def _table(kind: type) -> Table:
    return kind.__table__


def _empty(kind: type) -> SimpleNamespace:
    if kind is Grade:
        return SimpleNamespace(auto_score=None, manual_score=None, needs_manual_grade=True)
    return SimpleNamespace(auto_comment=None)


def _marks(kind: type, row: SimpleNamespace) -> dict[str, object]:
    return {each: getattr(row, each) for each in MARKS[kind]}
