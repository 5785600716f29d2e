"""What a tool says of a model, in one line that is the same on every machine."""

from __future__ import annotations

import re
from collections.abc import Callable

# ONNX Runtime puts the place in its own C++ sources before the reason.
_SOURCE_PLACE = re.compile(r"\S*/\S+\.(?:cc|h|cpp):\d+ \S.*?\) ")
WIDTH = 110


def attempt(action: Callable, *arguments, **options) -> str:
    """Call `action` and say how it went: `accepted`, or the exception's type and the first sentence of its reason.

    Folders are cut from the reason, so that it can be printed in a notebook that other people read.
    """
    try:
        action(*arguments, **options)
    except Exception as error:
        return f"{type(error).__name__}: {_first_sentence(str(error))}"
    return "accepted"


def _first_sentence(text: str) -> str:
    text = _SOURCE_PLACE.sub("", text)
    text = re.sub(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ", "", text)
    text = re.sub(r"(?<![\w:])/(?:[\w.+-]+/)+", "", text)
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
