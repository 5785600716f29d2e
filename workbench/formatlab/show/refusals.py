"""What a tool says of a model, in one line that is the same on every machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

# ONNX Runtime says which of its own C++ functions complains before it says why.
_SOURCE_PLACE = re.compile(r"\S*\b\w+\.(?:cc|h|cpp):\d+ (?:(?:[\w:<>]+ )?[\w:~<>]+\(.*?\)|\w+) ")
_ORT_CODE = re.compile(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ")
_ABSOLUTE_PATH = re.compile(r"(?<![\w:.])/(?:[\w.+-]+/)*([\w.+-]*)")
WIDTH = 100


def attempt(action: Callable[..., Any], *arguments: object, **options: Any) -> str:
    """Call `action` and say how it went: `accepted`, or the exception's type and the beginning of
    its reason.

    Absolute paths are cut down to the file's name, so that the line can stand in a notebook that
    other people read.
    """
    try:
        action(*arguments, **options)
    except Exception as error:  # whatever it is, it is shown  # noqa: BLE001
        return f"{type(error).__name__}: {_line(str(error))}"
    return "accepted"


def _line(text: str) -> str:
    text = _SOURCE_PLACE.sub("", _ORT_CODE.sub("", text))
    text = _ABSOLUTE_PATH.sub(lambda path: path[1] if "." in path[1] else "…", text)
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
