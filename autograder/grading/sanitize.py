"""What a student wrote, made inert before an instructor's browser sees it: kept readable, never
live.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from autograder import plain_text
from autograder.boxes.inside.outputs import telling

MAX_OUTPUTS = 200
_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
_LINK = re.compile(r"\](?=[(\[:])")
_TARGET = re.compile(r"(\][(:][\s<]*[a-zA-Z][a-zA-Z0-9+.-]*:)(?=//)")
_IMAGE = re.compile(r"!(?=\[)")
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
_BREAK = "\u200b"


def source(cell: Mapping) -> str:
    """The source of a cell that a student wrote, for the notebook that is recorded: nothing in it
    is live or hidden.
    """
    if cell["cell_type"] == "code":
        return plain_text.block(cell["source"])
    return markdown(plain_text.prose(cell["source"]))


def markdown(source: str) -> str:
    """The same text, in which no HTML tag, image or link begins: a zero-width space stands behind
    the character that would start it.

    Escaping instead would show in code spans. Addresses that stand bare in the text are still
    linked, and only http ones are; that of an image or of a link is not.
    """
    source = _TARGET.sub(f"\\1{_BREAK}", source)
    for pattern, start in ((_TAG, "<"), (_IMAGE, "!"), (_LINK, "]")):
        source = pattern.sub(f"{start}{_BREAK}", source)
    return source


def safe_outputs(outputs: list) -> list[dict]:
    """A cell's outputs rebuilt from the parts that are safe to record: text, errors, PNG pictures.
    Of those behind the first `MAX_OUTPUTS`, what a mark is read from.
    """
    safe = [
        kept
        for output in outputs
        if isinstance(output, dict) and (kept := _safe(output)) is not None
    ]
    return safe[:MAX_OUTPUTS] + telling(safe[MAX_OUTPUTS:], safe[:MAX_OUTPUTS])


def size(outputs: list[dict]) -> int:
    """Characters of text and pictures in outputs that are safe."""
    texts = (
        (
            output.get("text", ""),
            output.get("evalue", ""),
            *output.get("traceback", ()),
            *output.get("data", {}).values(),
        )
        for output in outputs
    )
    return sum(len(text) for several in texts for text in several)


def _safe(output: dict) -> dict | None:
    kind = output.get("output_type")
    if kind == "stream" and isinstance(output.get("text"), str):
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return {"output_type": "stream", "name": name, "text": plain_text.block(output["text"])}
    if kind == "error":
        lines = [
            plain_text.block(line)
            for line in output.get("traceback") or []
            if isinstance(line, str)
        ]
        texts = {
            "ename": plain_text.line(output.get("ename"), 200),
            "evalue": plain_text.block(output.get("evalue"), 2000),
        }
        return {"output_type": "error", **texts, "traceback": lines[:200]}
    if kind in ("execute_result", "display_data") and isinstance(output.get("data"), dict):
        data = {
            mime: kept
            for mime, text in output["data"].items()
            if (kept := _kept(mime, text)) is not None
        }
        result = {"output_type": kind, "data": data, "metadata": {}}
        return (
            ({**result, "execution_count": None} if kind == "execute_result" else result)
            if data
            else None
        )
    return None


def _kept(mime: str, text: object) -> str | None:
    if not isinstance(text, str):
        return None
    if mime == "text/plain":
        return plain_text.block(text)
    return text if mime == "image/png" and _BASE64.fullmatch(text) else None
