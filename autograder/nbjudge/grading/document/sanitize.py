"""What a student wrote, made inert before an instructor's browser sees it: kept readable, never
live.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from itertools import count

from nbjudge import plain_text
from nbjudge.boxes.inside.outputs import telling

MAX_OUTPUTS = 200
# What shows a notebook looks from each blank, and from each beginning of a formula or a link, for what
# may come behind it: a megabyte of them would hold a page up for hours. In a cell that names another language
# with `%%`, it does so by that language's rules.
MAX_BLANKS = 80
MAX_FORMULAS = 50
MAX_BRACKETS = 50
_BLANKS = re.compile(rf"\s{{{MAX_BLANKS},}}")
_FORMULA = re.compile(r"\\\\[\[(]|\\begin\{")
_CELL_MAGIC = re.compile(r"\A(\s*)(?=%%)")
_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
_LINK = re.compile(r"\](?=[(\[:])")
_TARGET = re.compile(r"(\][(:][\s<]*[a-zA-Z][a-zA-Z0-9+.-]*:)(?=//)")
_IMAGE = re.compile(r"!(?=\[)")
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
_BREAK = "\u200b"
_PICTURE_NAME = r"picture-[0-9a-f]{32}\.png"
_DRAWN = re.compile(rf"!\[[^\[\]\n]{{0,100}}\]\(attachment:({_PICTURE_NAME})\)")


def source(cell: Mapping) -> str:
    """The source of a cell that a student wrote, for the notebook that is recorded: nothing in it
    is live or hidden, and no page takes long to show it. Pictures stay that were drawn anew, and are
    attached to the cell.
    """
    text = _BLANKS.sub(_shorter, cell["source"])
    if cell["cell_type"] == "code":
        return _CELL_MAGIC.sub(f"\\1{_BREAK}", plain_text.block(text))
    attached = cell.get("attachments", {}) if cell["cell_type"] == "markdown" else {}
    drawn: list[str] = []
    # Nobody can write what stands for them, because it depends on the whole text.
    mark = f"drawn{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:24]}n"

    def held(picture: re.Match[str]) -> str:
        if picture[1] not in attached:
            return picture[0]
        drawn.append(picture[0])
        return f"{mark}{len(drawn)}e"

    inert = markdown(_few_brackets(_few_formulas(plain_text.prose(_DRAWN.sub(held, text)))))
    return re.sub(f"{mark}([0-9]+)e", lambda found: drawn[int(found[1]) - 1], inert)


def picture_name(digest: str) -> str:
    """The name of an attachment that is a picture that was drawn anew."""
    return f"picture-{digest}.png"


def _shorter(blanks: re.Match[str]) -> str:
    return "\n\n" if "\n" in blanks[0] else blanks[0][:MAX_BLANKS]


def _few_brackets(text: str) -> str:
    """The same text; on a line that is crowded with them, they become wide ones, which begin no link."""
    lines = text.split("\n")
    crowded = (line.count("[") > MAX_BRACKETS for line in lines)
    return "\n".join(
        line.replace("[", "\uff3b") if is_crowded else line
        for line, is_crowded in zip(lines, crowded, strict=True)
    )


def _few_formulas(text: str) -> str:
    """The same text, in which no more than `MAX_FORMULAS` begin."""
    number = count()

    def broken(start: re.Match[str]) -> str:
        whole = start[0]
        return whole if next(number) < MAX_FORMULAS else f"{whole[:-1]}{_BREAK}{whole[-1]}"

    return _FORMULA.sub(broken, text)


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
        return _error(output)
    if kind in ("execute_result", "display_data"):
        return _shown(kind, output.get("data"))
    return None


def _error(output: dict) -> dict:
    lines = output.get("traceback")
    texts = (line for line in (lines if isinstance(lines, list) else []) if isinstance(line, str))
    return {
        "output_type": "error",
        "ename": plain_text.line(output.get("ename"), 200),
        "evalue": plain_text.block(output.get("evalue"), 2000),
        "traceback": [plain_text.block(line) for line in texts][:200],
    }


def _shown(kind: str, bundle: object) -> dict | None:
    safe = (
        {mime: _kept(mime, text) for mime, text in bundle.items()} if type(bundle) is dict else {}
    )
    data = {mime: text for mime, text in safe.items() if text is not None}
    if kind == "execute_result":  # even one that shows nothing: it is not the same as none
        return {"output_type": kind, "data": data, "metadata": {}, "execution_count": None}
    return {"output_type": kind, "data": data, "metadata": {}} if data else None


def _kept(mime: str, text: object) -> str | None:
    if not isinstance(text, str):
        return None
    if mime == "text/plain":
        return plain_text.block(text)
    return text if mime == "image/png" and _BASE64.fullmatch(text) else None
