"""Parse one submitted notebook, whatever state it is in, into the plain list of cells that the
coordinator understands.

In: `notebook` with the blob `notebook.ipynb`. Out: `notebook` with the blob `notebook.json` and the
pictures in its Markdown, each under its digest, or `refused` with a reason that the student can act
on.
"""

from __future__ import annotations

import codecs
import json
import math
import re

from nbjudge import limits
from nbjudge.boxes.inside.channel import Channel
from nbjudge.boxes.inside.pictures import Taken, taken

MAX_CELLS = 5000
MAX_TEXT = limits.TEXT
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


class Refused(ValueError):
    """The bytes are no notebook that can be graded; the text tells the student why and what to do."""


def main() -> None:
    channel = Channel()
    for frame in channel.frames():
        if frame.kind == "notebook":
            _answer(channel, frame.files["notebook.ipynb"])
            if not channel.free():
                return


def _answer(channel: Channel, data: bytes) -> None:
    held = Taken()
    try:
        parsed = parse(data, held)
    except Refused as refusal:
        channel.send("refused", reason=str(refusal))
        return
    text = json.dumps(parsed, separators=(",", ":"), allow_nan=False).encode()
    if len(text) > MAX_TEXT:
        channel.send(
            "refused",
            reason=f"the notebook holds more than {MAX_TEXT >> 20} MB of text and code: move data out of its cells",
        )
        return
    channel.send("notebook", {"notebook.json": text, **held.pictures}, refused=held.refused)


def parse(data: bytes, held: Taken | None = None) -> dict:
    """The notebook's cells, kernel name and version of the lab, in nbformat 4's terms. Its pictures
    go into `held`. Raises Refused.
    """
    held = Taken() if held is None else held
    try:
        document = _upgrade(_load(data))
        metadata = document.get("metadata")
        return {
            "cells": _cells(document.get("cells"), held),
            "kernel": _text(_at(metadata, "kernelspec", "name")),
            "version": _text(_at(metadata, "nbjudge", "version")),
        }
    except MemoryError:
        raise Refused(
            f"the notebook takes too much memory to read. {_RESTORE}; clear its outputs before you save"
        ) from None


def _load(data: bytes) -> dict:
    if not data.strip():
        raise Refused(f"the file is empty. {_RESTORE}")
    marked = next((name for mark, name in _BOMS if data.startswith(mark)), None)
    try:
        document = json.loads(data.decode(marked or _bare_encoding(data)))
    except UnicodeDecodeError as error:
        why = f"the file is not UTF-8 text (byte {error.start})"
    except RecursionError:
        why = "the file's JSON is nested too deeply"
    except ValueError as error:
        said = _clean(str(error))[:200]
        why = f"the file is not valid JSON, as if it was cut short or edited by hand ({said})"
    else:
        if isinstance(document, dict):
            return document
        why = "the file is JSON, but not a notebook"
    raise Refused(f"{why}. {_RESTORE}")


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
        raise Refused(
            f"the notebook's format is {_clean(repr(version))[:40]}; only formats 1 to 4 are known. {_RESTORE}"
        )
    sheets = [document] if version == 1 else document.get("worksheets")
    found = [_at(sheet, "cells") for sheet in sheets] if isinstance(sheets, list) else []
    several = [cells for cells in found if isinstance(cells, list)]
    if not several:
        raise Refused(f"the notebook has no list of cells. {_RESTORE}")
    old = [_of_old(cell) for cells in several for cell in cells if isinstance(cell, dict)]
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
        raise Refused(f"the notebook has no list of cells. {_RESTORE}")
    if len(cells) > MAX_CELLS:
        raise Refused(f"the notebook has {len(cells)} cells; at most {MAX_CELLS} are read")
    seen: set[str] = set()
    return [_cell(cell, seen, held) for cell in cells if isinstance(cell, dict)]


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
    points = data.get("points")
    number = None
    if isinstance(points, (int, float)) and not isinstance(points, bool) and abs(points) < 1e9:
        number = float(points) if math.isfinite(points) else None
    return {
        "grade_id": _text(data.get("grade_id")),
        **{flag: data.get(flag) is True for flag in ("grade", "solution", "locked", "task")},
        "points": number,
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


if __name__ == "__main__":
    main()
