"""What a student wrote, made inert before an instructor's browser sees it: kept readable, never live."""

from __future__ import annotations

import re

MAX_OUTPUTS = 200
_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
_LINK = re.compile(r"\](?=[(\[:])")
_IMAGE = re.compile(r"!(?=\[)")
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
_BREAK = "\u200b"


def markdown(source: str) -> str:
    """The same text, in which no HTML tag, image or link begins: a zero-width space stands behind the character that would start it.

    Escaping instead would show in code spans. Addresses that stand bare in the text are still linked, and only http ones are.
    """
    for pattern, start in ((_TAG, "<"), (_IMAGE, "!"), (_LINK, "]")):
        source = pattern.sub(f"{start}{_BREAK}", source)
    return source


def safe_outputs(outputs: list) -> list[dict]:
    """A cell's outputs rebuilt from the parts that are safe to record: text, errors, PNG pictures."""
    return [kept for output in outputs[:MAX_OUTPUTS] if isinstance(output, dict) and (kept := _safe(output))]


def _safe(output: dict) -> dict | None:
    kind = output.get("output_type")
    if kind == "stream" and isinstance(output.get("text"), str):
        return {"output_type": "stream", "name": "stderr" if output.get("name") == "stderr" else "stdout", "text": output["text"]}
    if kind == "error":
        lines = [line for line in output.get("traceback") or [] if isinstance(line, str)]
        texts = {"ename": str(output.get("ename"))[:200], "evalue": str(output.get("evalue"))[:2000]}
        return {"output_type": "error", **texts, "traceback": lines[:200]}
    if kind in ("execute_result", "display_data") and isinstance(output.get("data"), dict):
        data = {mime: text for mime, text in output["data"].items() if isinstance(text, str) and _is_safe(mime, text)}
        result = {"output_type": kind, "data": data, "metadata": {}}
        return ({**result, "execution_count": None} if kind == "execute_result" else result) if data else None
    return None


def _is_safe(mime: str, text: str) -> bool:
    return mime == "text/plain" or (mime == "image/png" and _BASE64.fullmatch(text) is not None)
