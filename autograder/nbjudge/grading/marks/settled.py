"""Marks that people gave stay settled when the work is graded again and what they marked is the same.

nbgrader asks a person to look again at each mark that a person gave, whenever a submission is graded
again. After one mended test that is every essay of a class. But nbgrader never asks again about a
task, even where another drawing was handed in. So:

1. For each cell, a digest says what a person looked at: of an answer its source, its pictures and
   what it shows, with the student's own cells around it; of a task that and all cells of the
   student's own; of a test cell the mark, what it says, and the student's code before it. Addresses in memory
   are the same as others, and so are the numbers in brackets.
2. A mark that was settled stays so where the digest is the one that was filed when the gradebook was
   written last.
3. Where it is another one, the mark is flagged, also that of a task. Where none was filed, nbgrader's
   rule holds.
4. Digests are filed behind the gradebook: a run that is killed in between flags once too often, and
   never too seldom. The marks themselves, comments and extra credit are not touched.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

from nbjudge.grading.config.folders import Course, write_private
from nbjudge.grading.document.cells import (
    Notebook,
    is_answer,
    is_code,
    is_graded,
    is_own,
    is_solution,
    is_task,
    known_metadata,
)
from nbjudge.grading.published import rubric

Name = tuple[str, str]  # of a notebook, and of a cell in it
Digests = Mapping[Name, str]
Grades = Mapping[Name, SimpleNamespace]
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+")


class Settled:
    """What was filed for the students of an assignment."""

    def __init__(self, course: Course, assignment: str):
        self._folder = course.private("settled", assignment)

    def read(self, student: str) -> dict[Name, str]:
        """Empty where nothing was filed, or where it cannot be read."""
        try:
            filed = json.loads(self._of(student).read_text())
            if filed["student"] != student:
                return {}
            return {(book, cell): text for book, cell, text in filed["cells"]}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def file(self, student: str, digests: Digests) -> None:
        cells = [[book, cell, text] for (book, cell), text in sorted(digests.items())]
        text = json.dumps({"student": student, "cells": cells})
        try:
            write_private(self._of(student), text.encode(), lasting=False)
        except OSError:  # then a person looks once more
            with suppress(OSError):
                self._of(student).unlink(missing_ok=True)

    def _of(self, student: str) -> Path:
        return self._folder / f"{hashlib.sha256(student.encode()).hexdigest()[:24]}.json"


def digests(documents: Mapping[str, Notebook]) -> dict[Name, str]:
    """By notebook and grade_id, what a person who marks looks at."""
    return {
        (book, grade_id): digest
        for book, document in documents.items()
        for grade_id, digest in _digests(document)
    }


def settled(grades: Grades) -> set[Name]:
    """The cells whose mark a person gave, and nobody is to look at again."""
    return {
        name
        for name, row in grades.items()
        if row.manual_score is not None and not row.needs_manual_grade
    }


def keep(grades: Grades, before: set[Name], filed: Digests, now: Digests) -> None:
    """Set the flags of the marks that were settled `before`: by what was `filed`, and what there is
    to look at `now`.
    """
    for name in before:
        if name in filed and name in now and name in grades:
            grades[name].needs_manual_grade = filed[name] != now[name]


def _digests(document: Notebook) -> Iterator[tuple[str, str]]:
    cells = [cell for cell in document["cells"] if not rubric.is_rubric(cell)]
    for place, cell in enumerate(cells):
        if is_graded(cell):
            looked_at = [_seen(one) for one in (cell, *_beside(cells, place))]
            text = json.dumps(looked_at, sort_keys=True)
            yield (
                known_metadata(cell)["grade_id"],
                hashlib.sha256(_ADDRESS.sub("0x", text).encode()).hexdigest()[:32],
            )


def _beside(cells: Sequence[Mapping], place: int) -> Iterator[Mapping]:
    """The student's cells that belong to what is marked."""
    marked = cells[place]
    if is_task(marked):
        yield from filter(is_own, cells)
    elif is_solution(marked):
        yield from filter(is_own, _up_to_an_answer(reversed(cells[:place])))
        yield from filter(is_own, _up_to_an_answer(cells[place + 1 :]))
    else:
        for cell in cells[:place]:
            if is_code(cell) and (is_own(cell) or is_answer(cell)):
                yield {**cell, "outputs": []}


def _up_to_an_answer(cells: Iterable[Mapping]) -> Iterator[Mapping]:
    for cell in cells:
        if is_answer(cell):
            return
        yield cell


def _seen(cell: Mapping) -> dict:
    """A cell without what is another each time."""
    outputs = [
        {key: part for key, part in output.items() if key != "execution_count"}
        for output in cell.get("outputs", ())
    ]
    return {
        "type": cell["cell_type"],
        "source": cell["source"],
        "pictures": cell.get("attachments", {}),
        "outputs": outputs,
    }
