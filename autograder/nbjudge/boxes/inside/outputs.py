"""What is kept of a cell's outputs: text, and PNG images that really are."""

from __future__ import annotations

import base64
import binascii
import re
import struct

_SURROGATE = re.compile("[\ud800-\udfff]")
_PNG = b"\x89PNG\r\n\x1a\n"
# A browser draws a picture of some kilobytes that is large enough in gigabytes and minutes.
_MAX_PIXELS = 1 << 25
# What a picture is made of; the rest is animations, texts and profiles.
_PARTS = frozenset({b"IHDR", b"PLTE", b"tRNS", b"gAMA", b"sRGB", b"pHYs", b"IDAT", b"IEND"})
_MAX_OUTPUTS = 1000
_TRACEBACK_LINES = 200
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"})
_RESULT = "execute_result"
# What is kept of a result and of an error behind the limit.
_BRIEF = 200

TRUNCATED = "[The rest of this cell's output was dropped: it is over the limit.]\n"
NO_PNG = "[A picture of the type {kind} is not shown: let the cell show a still PNG.]"
HIDDEN = "[Nothing is kept of this cell: from the first check on, the notebook runs beside hidden inputs.]\n"


def stream(text: str, name: str = "stderr") -> dict:
    return {"output_type": "stream", "name": name, "text": text}


def error(name: str, value: str, traceback: list[str] | None = None) -> dict:
    return {
        "output_type": "error",
        "ename": name,
        "evalue": value,
        "traceback": traceback or [f"{name}: {value}"],
    }


class Outputs:
    """The outputs of one cell, in nbformat's form, at most `limit` bytes of text and images
    together.
    """

    def __init__(self, limit: int):
        self.list: list[dict] = []
        self.truncated = False
        self.used = 0
        self._limit = limit

    def add(self, kind: str, content: dict) -> None:
        """Take one iopub message of the cell; types that are not kept, and malformed ones, are
        ignored.
        """
        output = _READERS[kind](content) if kind in _READERS else None
        if output is None:
            return
        size = _size(output)
        if self.used + size > self._limit or len(self.list) >= _MAX_OUTPUTS:
            self.cut()
        if self.truncated:
            self._tell(output)
            return
        self.used += size
        last = self.list[-1] if self.list else None
        if kind == "stream" and last is not None and last.get("name") == output["name"]:
            last["text"] += output["text"]
        else:
            self.list.append(output)

    def add_unshown_result(self) -> None:
        """Take note that the cell's last expression had a value, where no result came of it."""
        if all(output["output_type"] != _RESULT for output in self.list):
            self.list.append(unshown_result())

    def _tell(self, output: dict) -> None:
        """Behind the limit, keep the first error, and in the place of an earlier one the last
        result.
        """
        cut = self.list.index(stream(TRUNCATED))
        before = self.list[: cut + 1]
        behind = self.list[cut + 1 :]
        self.list = before + telling([*behind, output], before)

    def cut(self) -> None:
        """Keep nothing more, and say so once."""
        if not self.truncated:
            self.truncated = True
            self.list.append(stream(TRUNCATED))


def telling(outputs: list[dict], kept: list[dict]) -> list[dict]:
    """Of outputs that are over a limit, in brief, what a mark may be read from: the last result,
    and the first error unless `kept` has one.
    """
    errors = [output for output in outputs if output["output_type"] == "error"]
    if any(output["output_type"] == "error" for output in kept):
        errors = []
    results = [output for output in outputs if output["output_type"] == _RESULT]
    told = (errors[:1], results[-1:])
    return [_brief(output) for several in told for output in several]


def _brief(output: dict) -> dict:
    if output["output_type"] == "error":
        return error(output["ename"][:_BRIEF], output["evalue"][:_BRIEF], [])
    text = output["data"].get("text/plain")
    return {**output, "data": {} if text is None else {"text/plain": text[:_BRIEF]}}


def unshown_result() -> dict:
    """A result that shows nothing: what it is cannot be a mark, but it is not nothing."""
    return {"output_type": _RESULT, "data": {}, "metadata": {}, "execution_count": None}


def _stream(content: dict) -> dict | None:
    name = content.get("name")
    text = content.get("text")
    if name not in ("stdout", "stderr") or not isinstance(text, str):
        return None
    return stream(_clean(text), name)


def _error(content: dict) -> dict | None:
    lines = content.get("traceback")
    lines = (
        [_clean(line) for line in lines[:_TRACEBACK_LINES] if isinstance(line, str)]
        if isinstance(lines, list)
        else []
    )
    return error(_clean(str(content.get("ename"))), _clean(str(content.get("evalue"))), lines)


def _display(content: dict) -> dict | None:
    return _rich("display_data", content)


def _result(content: dict) -> dict | None:
    output = _rich("execute_result", content)
    if output is not None:
        count = content.get("execution_count")
        output["execution_count"] = count if type(count) is int else None
    return output


def _rich(output_type: str, content: dict) -> dict | None:
    data = content.get("data")
    if not isinstance(data, dict):
        return unshown_result() if output_type == _RESULT else None
    kept = {}
    if isinstance(data.get("text/plain"), str):
        kept["text/plain"] = _clean(data["text/plain"])
    if image := _png(data.get("image/png")):
        kept["image/png"] = image
    elif output_type == "display_data" and (kind := _other_picture(data)):
        kept["text/plain"] = f"{kept.get('text/plain', '')}\n{NO_PNG.format(kind=kind)}".lstrip()
    is_kept = kept or output_type == _RESULT
    return {"output_type": output_type, "data": kept, "metadata": {}} if is_kept else None


def _other_picture(data: dict) -> str | None:
    """The type of a picture that is not kept, if there is one."""
    return next((kind for kind in sorted(map(str, data)) if kind in _PICTURES), None)


def _png(text: object) -> str | None:
    """The image encoded anew: text that is no base64 would otherwise land inside an HTML attribute."""
    if not isinstance(text, str):
        return None
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    picture = still_picture(data)
    return base64.b64encode(picture).decode() if picture else None


def still_picture(data: bytes) -> bytes | None:
    """The parts of a PNG that a still picture is made of; None where it is too large, or none."""
    kept = [_PNG]
    place = len(_PNG)
    while place + 12 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, place)
        end = place + 12 + size
        if kind in _PARTS:
            kept.append(data[place:end])
        place = end
    if len(kept) < 2 or kept[0] != data[: len(_PNG)] or len(kept[1]) != 25:
        return None
    kind, width, height = struct.unpack_from(">4sII", kept[1], 4)
    return b"".join(kept) if kind == b"IHDR" and width * height <= _MAX_PIXELS else None


_READERS = {"stream": _stream, "error": _error, "display_data": _display, "execute_result": _result}


def _size(output: dict) -> int:
    texts = [
        *output.get("data", {}).values(),
        *output.get("traceback", []),
        output.get("text", ""),
        output.get("evalue", ""),
        output.get("ename", ""),
    ]
    return sum(len(text) for text in texts)


def _clean(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)
