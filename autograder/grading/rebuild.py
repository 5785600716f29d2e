"""Rebuild: the published skeleton, with the student's sources in its solution cells, and the
student's own extra cells.

Rules, in order:
1. The skeleton's cells, their order, metadata, types and given sources are kept as published.
2. A submitted cell belongs to the skeleton's cell with its grade_id; where the metadata is gone, to
   the one with its cell id; where that was published without an id, to the one with its source.
3. Of several submitted cells for one skeleton cell, the last counts; earlier parts of a split
   solution cell run before it, as extra cells.
4. A solution cell takes the student's source. Every other skeleton cell keeps its own; what the
   student's had changed is listed.
5. A submitted cell that belongs to no skeleton cell is an extra cell: it follows the skeleton's
   cell that it followed, without metadata.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from autograder.grading.skeletons import UNNAMED, Notebook, nbgrader_metadata

MAX_CELLS = 2000
PUT_BACK = "the cell was missing and was put back"
EXTRA = "extra"


class NotRebuildable(ValueError):
    """The submitted notebook holds nothing that belongs to this assignment. The text is for the
    student.
    """


@dataclass(frozen=True)
class Rebuilt:
    """The notebook that is run and recorded; what was done to given cells (`tampered`), and what is
    no fault (`remarks`).
    """

    notebook: Notebook
    tampered: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def rebuild(skeleton: Notebook, submitted: list[Mapping]) -> Rebuilt:
    """Join a skeleton and the cells of a submission (`cell_type`, `id`, `source`, `nbgrader`).
    Raises NotRebuildable.
    """
    if len(submitted) > MAX_CELLS:
        raise NotRebuildable(f"the notebook has {len(submitted)} cells; the limit is {MAX_CELLS}")
    matches, extras = _matched(skeleton, submitted)
    graded = {position for position, cell in enumerate(skeleton["cells"]) if _is_graded(cell)}
    if graded and not graded & matches.keys():
        raise NotRebuildable(
            "none of the assignment's cells are in this notebook: the names that mark them are gone. "
            "Open a fresh copy of the lab, paste your answers into it, and hand that in"
        )
    tampered, remarks, cells = [], [], _extras(extras.get(-1, []), "start")
    for position, given in enumerate(skeleton["cells"]):
        theirs = matches.get(position, [])
        tampered += _tampered(given, theirs)
        if len(theirs) > 1:
            remarks.append(
                f"{_name(given)}: the cell was there more than once; the last one counts"
            )
        cells += [_joined(given, theirs), *_extras(extras.get(position, []), str(position))]
    rest = {key: value for key, value in skeleton.items() if key != "cells"}
    notebook = {**copy.deepcopy(rest), "cells": cells}
    return Rebuilt(notebook, tuple(tampered), tuple(remarks))


Cells = dict[int, list[Mapping]]


def _matched(skeleton: Notebook, submitted: list[Mapping]) -> tuple[Cells, Cells]:
    """By the position of a skeleton's cell: those that belong to it, and extra ones behind it."""
    keys, after = _keys(skeleton), -1
    matches: Cells = {}
    extras: Cells = {}
    for cell in submitted:
        position = keys.find(cell)
        if position is None:
            extras.setdefault(after, []).append(cell)
            continue
        if position in matches and _is_solution(skeleton["cells"][position]):
            extras.setdefault(position - 1, []).append(matches[position][-1])
        matches.setdefault(position, []).append(cell)
        after = position
    return matches, extras


def _joined(given: Mapping, theirs: list[Mapping]) -> dict:
    """A cell of the skeleton, with the student's source if it is a solution cell."""
    cell = copy.deepcopy(given)
    if theirs and _is_solution(cell):
        cell["source"] = theirs[-1]["source"]
    if cell["cell_type"] == "code":
        cell["outputs"], cell["execution_count"] = [], None
    return cell


def _extras(cells: list[Mapping], place: str) -> list[dict]:
    return [_extra(cell, f"{EXTRA}-{place}-{n}") for n, cell in enumerate(cells)]


@dataclass
class _Keys:
    """Where the skeleton's cells are, by what a submitted cell may say of itself."""

    by_grade_id: dict[str, int] = field(default_factory=dict)
    by_id: dict[str, int] = field(default_factory=dict)
    by_source: dict[tuple[str, str], int] = field(default_factory=dict)

    def find(self, cell: Mapping) -> int | None:
        meta = cell.get("nbgrader") or {}
        if (position := self.by_grade_id.get(meta.get("grade_id"))) is not None:
            return position
        if (position := self.by_id.get(cell.get("id"))) is not None:
            return position
        return self.by_source.get(_text(cell))


def _keys(skeleton: Notebook) -> _Keys:
    keys = _Keys()
    for position, cell in enumerate(skeleton["cells"]):
        if meta := nbgrader_metadata(cell):
            keys.by_grade_id[meta["grade_id"]] = position
        if not cell.get("id", UNNAMED).startswith(UNNAMED):
            keys.by_id[cell["id"]] = position
        elif not meta:
            keys.by_source[_text(cell)] = position
    return keys


def _text(cell: Mapping) -> tuple[str, str]:
    return cell["cell_type"], _normal(cell["source"])


def _tampered(given: Mapping, theirs: list[Mapping]) -> list[str]:
    """What was done to a given cell, in any of its copies, each thing once."""
    meta, name = nbgrader_metadata(given), _name(given)
    if not theirs:
        return [f"{name}: {PUT_BACK}"] if meta and meta["grade"] else []
    tampered = []
    if any(cell["cell_type"] != given["cell_type"] for cell in theirs):
        tampered.append(f"{name}: the cell's type was changed and was restored")
    if not _is_solution(given):
        tampered += [f"{name}: the given cell was {what}" for what in _edited(given, theirs)]
    if meta and any(
        cell.get("nbgrader") and _flags(cell["nbgrader"]) != _flags(meta) for cell in theirs
    ):
        tampered.append(f"{name}: the cell's grading metadata was changed and was restored")
    return tampered


def _edited(given: Mapping, theirs: list[Mapping]) -> Iterator[str]:
    """What was done to what a student is not to change of a cell: its source, its tags."""
    if any(_normal(cell["source"]) != _normal(given["source"]) for cell in theirs):
        yield "edited and was reset"
    known = set(given["metadata"].get("tags", ()))
    if tags := sorted({tag for cell in theirs for tag in cell.get("tags") or ()} - known):
        yield f"tagged {', '.join(tags)[:100]}, which was taken off"


def _name(given: Mapping) -> str:
    meta = nbgrader_metadata(given)
    return meta["grade_id"] if meta else _first_line(given["source"])


def _flags(meta: Mapping) -> tuple:
    points = meta.get("points") if meta.get("grade") else None
    points = (
        float(points)
        if isinstance(points, (int, float)) and not isinstance(points, bool)
        else points
    )
    return (
        meta.get("grade_id"),
        bool(meta.get("grade")),
        bool(meta.get("solution")),
        bool(meta.get("task")),
        points,
    )


def _extra(cell: Mapping, cell_id: str) -> dict:
    kind = cell["cell_type"] if cell["cell_type"] in ("code", "markdown", "raw") else "raw"
    extra = {"cell_type": kind, "id": cell_id, "metadata": {}, "source": cell["source"]}
    return {**extra, "outputs": [], "execution_count": None} if kind == "code" else extra


def _is_solution(cell: Mapping) -> bool:
    meta = nbgrader_metadata(cell)
    return bool(meta and (meta["solution"] or meta.get("task")))


def _is_graded(cell: Mapping) -> bool:
    meta = nbgrader_metadata(cell)
    return bool(meta and (meta["grade"] or meta["solution"] or meta.get("task")))


def _normal(source: str) -> str:
    """Without blanks at the ends of lines. Line by line: a pattern would look from each of a million
    blanks for the end of their line, and hold up the class.
    """
    lines = source.replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip(" \t") for line in lines).strip()


def _first_line(source: str) -> str:
    return (source.strip().splitlines() or ["an empty cell"])[0][:40]
