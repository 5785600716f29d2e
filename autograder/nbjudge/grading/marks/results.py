"""What grading says of a submission: plain data, as `course grade --json` writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass, field, fields, replace
from functools import cached_property

from nbjudge import plain_text
from nbjudge.contract import Answer

GRADED = "graded"
UNGRADABLE = "ungradable"
UNGRADED = "ungraded"
MANUAL = "manual"


@dataclass(slots=True, kw_only=True)
class ItemResult:
    """One thing that a cell gives points for, in the gradebook's points: earned as a whole, or not.
    `failed` names the cases that cost it, `rung` and `found` are those of the first of them.
    """

    name: str
    title: str
    points: float
    earned: bool
    failed: list[str] = field(default_factory=list)
    rung: str = ""
    found: str = ""


@dataclass(slots=True)
class CellResult:
    """A graded cell's mark. `items` add up to it where an exercise was judged that has some. `label`
    is what people call the cell, where its name says nothing.
    """

    status: str
    score: float | None
    max_score: float
    _: KW_ONLY
    rung: str | None = None
    case: str | None = None
    expected: str = ""
    found: str = ""
    cause: str = ""
    read: str = ""
    misconception: str = ""
    label: str = ""
    items: list[ItemResult] = field(default_factory=list)

    @classmethod
    def of(cls, data: dict) -> CellResult:
        """From what `_plain` makes of it."""
        items = [ItemResult(**item) for item in data.get("items", ())]
        return cls(**{**data, "items": items})


@dataclass(slots=True)
class NotebookResult:
    status: str
    reason: str | None = None


@dataclass(slots=True)
class ByHand:
    """A person's part in the mark of a cell: what the cell got automatically (None: nothing can say
    it but a person), what the person gave instead (None: nothing), and extra credit. `again` is set
    when the cell was graded anew since, so that the person should look at it once more.
    """

    automatic: float | None
    given: float | None
    extra: float = 0.0
    again: bool = False


@dataclass(slots=True, kw_only=True)
class Settled:
    """What the gradebook knows of a submission beside its automatic marks: when it came in and what
    was due (texts in UTC, None where nobody knows), the due date of a student with an extension,
    how many seconds late that is, the points that each notebook lost for it, and what people gave.
    """

    handed_in: str | None = None
    due: str | None = None
    extended_to: str | None = None
    seconds_late: float = 0.0
    penalties: dict[str, float] = field(default_factory=dict)
    by_hand: dict[str, ByHand] = field(default_factory=dict)

    def times(self) -> str:
        """The times that counted, in words."""
        known = {"handed in": self.handed_in, "due": self.due, "extended to": self.extended_to}
        return ", ".join(f"{what} {when}" for what, when in known.items() if when)

    @classmethod
    def of(cls, data: dict) -> Settled:
        """From what `dataclasses.asdict` makes of it."""
        by_hand = {name: ByHand(**mark) for name, mark in data["by_hand"].items()}
        return cls(**{**data, "by_hand": by_hand})


@dataclass(slots=True)
class Earlier:
    """The automatic mark of the last run, where this one gave another, and why it graded again."""

    score: float
    why: str


@dataclass
class SubmissionResult:
    """One student's result. `documents` are the notebooks to record (nbformat JSON by name),
    `files` what lies beside each (`beside`); they and `secret` stay out of the report.

    `tampered` says what was done to given cells, `remarks` what is no fault. Scores are automatic
    until the gradebook's take their place (`settle.read_marks`): manual marks, and the late penalty,
    with what `settled` says of them. `earlier` is set where another run gave another mark.

    `failures` counts what failed while the student's code ran: cells, and calls of its functions.
    `spent` are the seconds of its budget that it used in this turn, `waiting` the
    notebooks that are left for the next one. `answers` are what its functions gave, by exercise and
    case, until the journal has them in files of their own.
    """

    student: str
    max_score: float
    _: KW_ONLY
    seconds: float = 0.0
    needs_manual: bool = False
    tampered: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    notebooks: dict[str, NotebookResult] = field(default_factory=dict)
    cells: dict[str, CellResult] = field(default_factory=dict)
    documents: dict[str, dict] = field(default_factory=dict)
    files: dict[str, dict[str, str]] = field(default_factory=dict)
    timestamp: str | None = None
    secret: str | None = None
    late_penalty: float = 0.0
    failures: int = 0
    spent: float = 0.0
    waiting: list[str] = field(default_factory=list)
    fault: str | None = None
    settled: Settled | None = None
    earlier: Earlier | None = None
    answers: dict[str, Mapping[str, Answer]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @cached_property
    def texts(self) -> dict[str, str]:
        """The documents as JSON: asked for when nothing changes them any more, because it takes
        longer than most of what is done with them. nbformat's writer is slower still.
        """
        return {name: json.dumps(document) for name, document in self.documents.items()}

    @property
    def status(self) -> str:
        """`ungraded` if anything is; `ungradable` if every notebook is; else `graded`."""
        statuses = {notebook.status for notebook in self.notebooks.values()}
        if self.fault or UNGRADED in statuses:
            return UNGRADED
        return UNGRADABLE if statuses == {UNGRADABLE} else GRADED

    @property
    def score(self) -> float | None:
        if self.status == UNGRADED:
            return None
        return round(
            max(0.0, sum(cell.score or 0.0 for cell in self.cells.values()) - self.late_penalty), 4
        )

    @property
    def marked_score(self) -> float:
        """The most that is given for what is marked: without the cells that wait for a person."""
        waiting = sum(cell.max_score for cell in self.cells.values() if cell.status == MANUAL)
        return max(0.0, self.max_score - waiting)

    @property
    def reason(self) -> str | None:
        """Why it is not simply graded: the fault, the first notebook's reason, or that it was late."""
        if self.fault:
            return self.fault
        if self.status == GRADED:
            return self.lateness
        wanted = {UNGRADED, UNGRADABLE}
        return next(
            (
                f"{name}: {book.reason}"
                for name, book in self.notebooks.items()
                if book.status in wanted and book.reason
            ),
            None,
        )

    @property
    def lateness(self) -> str | None:
        """What being late cost, with the times that counted; None where it cost nothing."""
        if not self.late_penalty:
            return None
        times = self.settled.times() if self.settled else ""
        return f"late: {-self.late_penalty:g}" + (f" ({times})" if times else "")

    def to_json(self) -> dict:
        """The report's entry for this submission."""
        report = {
            "student": self.student,
            "status": self.status,
            "reason": self.reason,
            "score": self.score,
            "max_score": self.max_score,
            "late_penalty": round(self.late_penalty, 4),
            "needs_manual": self.needs_manual,
            "seconds": round(self.seconds, 1),
            "tampered": self.tampered,
            "remarks": self.remarks,
            "notebooks": {name: _plain(notebook) for name, notebook in self.notebooks.items()},
            "cells": {name: _plain(cell) for name, cell in self.cells.items()},
            "settled": asdict(self.settled) if self.settled else None,
            "earlier": asdict(self.earlier) if self.earlier else None,
        }
        return plain_text.data(report)

    def to_journal(self, with_documents: bool = True) -> dict:
        named = [each.name for each in fields(self) if each.name != "answers"]
        parts = {name: getattr(self, name) for name in named}
        parts["notebooks"] = {name: _plain(notebook) for name, notebook in self.notebooks.items()}
        parts["cells"] = {name: _plain(cell) for name, cell in self.cells.items()}
        parts["settled"] = asdict(self.settled) if self.settled else None
        parts["earlier"] = asdict(self.earlier) if self.earlier else None
        return parts if with_documents else {**parts, "documents": {}}

    def without_documents(self) -> SubmissionResult:
        """The result without what takes memory, documents, files and answers, and without its
        secret: of a class, all of these are in memory together.
        """
        return replace(self, documents={}, files={}, answers={}, secret=None)

    @classmethod
    def from_journal(cls, data: dict) -> SubmissionResult:
        data = dict(data)
        data["notebooks"] = {
            name: NotebookResult(**notebook) for name, notebook in data["notebooks"].items()
        }
        data["cells"] = {name: CellResult.of(cell) for name, cell in data["cells"].items()}
        data["settled"] = Settled.of(data["settled"]) if data.get("settled") else None
        data["earlier"] = Earlier(**data["earlier"]) if data.get("earlier") else None
        return cls(**data)


def _plain(part: CellResult | NotebookResult | ItemResult) -> dict:
    """Its fields by name; dataclasses.asdict copies each of them."""
    plain = {name: getattr(part, name) for name in part.__slots__}
    if "items" in plain:
        plain["items"] = list(map(_plain, plain["items"]))
    return plain
