"""Read a submitted notebook: a box parses it, and what the box sends is checked here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from nbjudge import boxes, wire
from nbjudge.grading import faults
from nbjudge.grading.faults import Fault
from nbjudge.grading.pictures import Pictures, given_with_pictures
from nbjudge.grading.rulings import Moment, Place, Ruling, Way
from nbjudge.grading.sandboxes import PARSER, Start, once

Cells = tuple[list[dict], str | None]


class Reader:
    """Reads the notebooks of one submission, and tells `use` of the seconds that it takes.
    `published` are the notebooks that students are given; `pictures` holds what was in the Markdown
    of those that were read.
    """

    def __init__(
        self,
        start: Start,
        use: Callable[[float], None],
        published: Iterable[Mapping[str, object]] = (),
    ):
        self._start, self._use = start, use
        self._given = given_with_pictures(published)
        self.pictures = Pictures()

    def __call__(self, data: wire.Blob) -> Cells:
        began = time.monotonic()
        try:
            cells, version = read_notebook(data, self._start, self.pictures)
        finally:
            self._use(time.monotonic() - began)
        for cell in cells:
            cell["source"] = self._given.get(cell["source"].strip(), cell["source"])
        return cells, version


class Unreadable(ValueError):
    """The submitted bytes are not a notebook. The text is for the student."""


def read_notebook(
    data: wire.Blob, start: Start | None = None, pictures: Pictures | None = None
) -> Cells:
    """A submitted notebook's cells, and the version it claims; its pictures go into `pictures`.
    Raises Unreadable, or Fault.
    """
    is_repeated = False
    while True:
        ended = _parse(data, start or once(PARSER))
        for frame in ended.frames:
            if frame.kind == "refused":
                raise Unreadable(str(frame.header.get("reason"))[:500])
            if frame.kind == "notebook":
                if pictures is not None:
                    pictures.take(frame)
                return _checked(bytes(frame.blobs.get("notebook.json", b"")))
        way = Way(ended.ended)
        ruling = faults.settle(
            Place.PARSER, way, Moment.LOOKING, detail="", is_repeated=is_repeated, control=_control
        )
        if ruling is not Ruling.REPEAT:
            raise Unreadable(f"the notebook could not be read within the limits ({ended.ended})")
        is_repeated = True


def _parse(data: wire.Blob, start: Start) -> boxes.BoxRun:
    try:
        return start(
            lambda: wire.pieces("notebook", {"notebook.ipynb": data}), boxes.limits_for_notebook()
        )
    except boxes.SandboxUnavailable as error:
        raise faults.before_start(Place.PARSER, Moment.LOOKING, error) from None


def _control() -> str:
    """What is wrong with the box that reads notebooks: nothing, if it reads an empty one."""
    try:
        ended = _parse(b'{"nbformat": 4, "cells": [], "metadata": {}}', once(PARSER))
    except Fault as fault:
        return str(fault)
    works = any(frame.kind == "notebook" for frame in ended.frames)
    return "" if works else f"it ended as: {ended.ended}"


def _checked(data: bytes) -> Cells:
    """What the box sent, which may be anything: a student's bytes were in it."""
    try:
        notebook = wire.safe_json(data)
    except wire.WireError as error:
        raise Unreadable(str(error)) from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise Unreadable("the notebook has no cells")
    for cell in cells:
        if not (isinstance(cell, dict) and _are_texts(cell, "source", "cell_type")):
            raise Unreadable("a cell of the notebook has no source")
        _check_extras(cell)
    version = notebook.get("version")
    return cells, version if isinstance(version, str) else None


def _check_extras(cell: dict) -> None:
    """What a cell may have beside its source has its type, or goes."""
    meta, tags = cell.get("nbgrader"), cell.get("tags")
    if meta is not None and not (isinstance(meta, dict) and _are_texts(meta, "grade_id")):
        cell["nbgrader"] = None
    if not isinstance(cell.get("id"), str):
        cell["id"] = None
    cell["tags"] = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []


def _are_texts(found: dict, *keys: str) -> bool:
    return all(isinstance(found.get(key), str) for key in keys)
