"""Read a submitted notebook: bytes, whatever state they are in, become the list of cells that
grading works with.

1. This runs in the coordinator, on a student's bytes. So they are measured before they are parsed:
   how large they are, how many values they hold, and how deep these are nested. What is over a
   limit never reaches `json.loads`.
2. One notebook is read at a time, in however many threads there is grading: a large one takes
   several times its size of memory.
3. Of the document, cells take what is named here, each part with its type checked. Nothing else of
   it goes on, and nothing is looked into: pictures leave as bytes (`markdown_pictures`).
4. What cannot be read raises Unreadable, a line that tells the student why and what to do. Any
   other exception is a fault of ours, and no mark follows from it.
"""

from __future__ import annotations

import codecs
import json
import math
import re
import reprlib
from threading import Lock

from nbjudge import limits, wire
from nbjudge.grading.document.markdown_pictures import Taken, taken

MAX_CELLS = 5000
# Marks that begin a value, or part it from the next: commas and opening brackets. A notebook of the
# course has some thousand; so many are two million values, or half a gigabyte of empty objects.
MAX_VALUES = 2_000_000
MAX_DEPTH = 500
_STRING = re.compile(rb'"[^"]*+"?')
_CONFLICT = [re.compile(f"^{mark}", re.MULTILINE) for mark in ("<{7} ", "={7}\r?$", ">{7} ")]
_BRACKET = re.compile(rb"[\[\]{}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Where cells of the formats before 4 keep what they hold, and what they call Markdown.
_OLD_SOURCES = ("input", "code", "source", "text")
_OLD_KINDS = {"heading": "markdown", "html": "markdown", "text": "markdown"}
_RESTORE = "Download the notebook again, copy your answers into it, and save it from Jupyter"
_ONE_AT_A_TIME = Lock()

Cells = tuple[list[dict], str | None]


class Unreadable(ValueError):
    """The submitted bytes are no notebook that can be graded. The text is for the student."""


def read_notebook(data: wire.Blob, held: Taken | None = None) -> Cells:
    """A submitted notebook's cells in nbformat 4's terms, and the version of the lab that it
    claims; the pictures in its Markdown go into `held`. Raises Unreadable.
    """
    held = Taken() if held is None else held
    with _ONE_AT_A_TIME:
        document = _upgrade(_load(data))
        cells = _cells(document.get("cells"), held)
        version = _text(_at(document.get("metadata"), "nbjudge", "version"))
        del document
    return cells, version


def _load(blob: wire.Blob) -> dict:
    if len(blob) > limits.NOTEBOOK:
        raise Unreadable(
            f"the file is larger than {limits.NOTEBOOK >> 20} MB. {_RESTORE}; clear its outputs before you save"
        )
    data = bytes(blob)
    if not data.strip():
        raise Unreadable(f"the file is empty. {_RESTORE}")
    marked = next((name for mark, name in _BOMS if data.startswith(mark)), None)
    encoding = marked or _bare_encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise Unreadable(f"the file is not UTF-8 text (byte {error.start}). {_RESTORE}") from None
    refuse_bomb(data if encoding.startswith("utf-8") else text.encode())
    try:
        document = json.loads(text)
    except ValueError as error:
        if line := _conflict(text):
            raise Unreadable(
                f"the file holds git's marks of a merge conflict (line {line}), so it is no valid JSON: two versions of it were not "
                "joined. Keep one of the two at each of these places, or take a version from before the conflict"
            ) from None
        said = _clean(str(error))[:200]
        raise Unreadable(
            f"the file is not valid JSON, as if it was cut short or edited by hand ({said}). {_RESTORE}"
        ) from None
    if not isinstance(document, dict):
        raise Unreadable(f"the file is JSON, but not a notebook. {_RESTORE}")
    return document


def _conflict(text: str) -> int | None:
    """The line of git's first mark of a merge conflict, where all three kinds of marks stand."""
    first = _CONFLICT[0].search(text)
    if first and all(mark.search(text, first.end()) for mark in _CONFLICT[1:]):
        return text.count("\n", 0, first.start()) + 1
    return None


def refuse_bomb(data: bytes) -> None:
    """Refuse JSON that would become far more in memory than it is, or that nests deeper than its
    parser follows. It is looked through a few times; nothing is built of it. Raises Unreadable.
    """
    # What is escaped ends no string. Each value has at most two strings, a key and a text.
    data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    too_many = data.count(b'"') > 4 * MAX_VALUES
    values = b"" if too_many else _STRING.sub(b"", data)
    if too_many or sum(map(values.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise Unreadable(
            f"the file holds more than {MAX_VALUES:,} values, in its outputs most likely. {_RESTORE}; clear its outputs before you save"
        )
    depth = 0
    for bracket in _BRACKET.finditer(values):
        depth += 1 if bracket.group() in b"[{" else -1
        if depth > MAX_DEPTH:
            raise Unreadable(f"the file's JSON is nested too deeply. {_RESTORE}")


def _bare_encoding(data: bytes) -> str:
    """JSON starts with an ASCII character, so a zero byte next to it gives UTF-16 without a mark
    away.
    """
    return {b"\0": "utf-16-be"}.get(data[:1]) or {b"\0": "utf-16-le"}.get(data[1:2]) or "utf-8"


def _upgrade(document: dict) -> dict:
    version = document.get("nbformat")
    if version == 4:
        return document
    if type(version) is not int or not 1 <= version <= 4:
        raise Unreadable(
            f"the notebook's format is {_clean(reprlib.repr(version))[:40]}; only formats 1 to 4 are known. {_RESTORE}"
        )
    sheets: object = [document] if version == 1 else document.get("worksheets")
    several = [_at(sheet, "cells") for sheet in sheets] if isinstance(sheets, list) else []
    lists = [cells for cells in several if isinstance(cells, list)]
    if not lists:
        raise Unreadable(f"the notebook has no list of cells. {_RESTORE}")
    old = [_of_old(cell) for cells in lists for cell in cells if isinstance(cell, dict)]
    return {**document, "cells": old}


def _of_old(cell: dict) -> dict:
    """A cell of format 1, 2 or 3 in the words of format 4. nbformat's own conversion checks all that
    it converts, and takes minutes to say what is wrong with a megabyte of it.
    """
    kind = cell.get("cell_type")
    level = cell.get("level")
    texts = (cell[key] for key in _OLD_SOURCES if key in cell)
    source = _source(next(texts, ""))
    if kind == "heading":
        source = f"{'#' * (level if type(level) is int and 1 <= level <= 6 else 1)} {source}"
    return {**cell, "cell_type": _OLD_KINDS.get(str(kind), kind), "source": source}


def _cells(cells: object, held: Taken) -> list[dict]:
    if not isinstance(cells, list):
        raise Unreadable(f"the notebook has no list of cells. {_RESTORE}")
    if len(cells) > MAX_CELLS:
        raise Unreadable(f"the notebook has {len(cells)} cells; at most {MAX_CELLS} are read")
    seen: set[str] = set()
    found = [_cell(cell, seen, held) for cell in cells if isinstance(cell, dict)]
    if sum(len(cell["source"].encode()) for cell in found) > limits.TEXT:
        raise Unreadable(
            f"the notebook holds more than {limits.TEXT >> 20} MB of text and code: move data out of its cells"
        )
    return found


def _cell(cell: dict, seen: set[str], held: Taken) -> dict:
    cell_id = cell.get("id")
    if not isinstance(cell_id, str) or not _CELL_ID.fullmatch(cell_id) or cell_id in seen:
        cell_id = None  # a copied cell keeps its original's id: the first one has it
    else:
        seen.add(cell_id)
    kind = cell.get("cell_type")
    text = _source(cell.get("source"))
    return {
        "cell_type": kind if kind in ("code", "markdown", "raw") else "raw",
        "id": cell_id,
        "source": taken(text, cell.get("attachments"), held) if kind == "markdown" else text,
        "nbgrader": _nbgrader(_at(cell, "metadata", "nbgrader")),
        "tags": _tags(_at(cell, "metadata", "tags")),
    }


def _source(source: object) -> str:
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    text = source if isinstance(source, str) else ""
    return _clean(text.replace("\r\n", "\n").replace("\r", "\n"))


def _nbgrader(data: object) -> dict | None:
    if not isinstance(data, dict):
        return None
    grade_id = _text(data.get("grade_id"))
    if grade_id is None:
        return None
    points = data.get("points")
    is_number = (
        isinstance(points, (int, float))
        and not isinstance(points, bool)
        and abs(points) < 1e9
        and math.isfinite(points)
    )
    return {
        "grade_id": grade_id,
        **{flag: data.get(flag) is True for flag in ("grade", "solution", "locked", "task")},
        "points": None if points is None or not is_number else float(points),
        "cell_type": _text(data.get("cell_type")),
    }


def _tags(data: object) -> list[str]:
    """What may tell a notebook's runner to leave a cell out."""
    return (
        [_clean(tag)[:60] for tag in data[:20] if isinstance(tag, str)]
        if isinstance(data, list)
        else []
    )


def _at(data: object, *keys: str) -> object:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _text(value: object) -> str | None:
    """A short string, or None; a number becomes its text."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value) if abs(value) < 1e9 else None
    return _clean(value)[:200] if isinstance(value, str) else None


def _clean(text: str) -> str:
    """No lone surrogates: they are no characters, and cannot be written as UTF-8."""
    return _SURROGATE.sub("\ufffd", text)
