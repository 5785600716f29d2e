"""Why a model cannot be measured."""

from __future__ import annotations

import os
import re
import tempfile

LONGEST = 300
# Where a library's own source stands on the machine that built it.
SOURCE = re.compile(r"(?:/\w+)*/onnxruntime_src/\S+?:\d+ ")
# Its functions in C++, which take the room of the reason behind them.
SIGNATURE = re.compile(
    r"(?:\b(?:static|virtual|void|bool|(?:onnxruntime::)?(?:common::)?Status) )*"
    r"\bonnxruntime::[\w:~<>]+\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)(?: const)?(?: \[with [^\]]*\])? "
)


class CannotBench(RuntimeError):
    """The model, the provider or the options do not allow what was asked for. The text says what to
    do.
    """


def first_line(problem: BaseException) -> str:
    """What a library said, without its stack: one line of 300 characters at most.

    It names files, but not the temporary folder that one lies in, which is gone when the line is
    read; and neither where the library's source lay when it was built nor its functions' signatures.
    """
    line = (str(problem).strip().splitlines() or [type(problem).__name__])[0]
    if isinstance(problem, LookupError):  # its text is what was looked for, and no sentence
        line = f"{type(problem).__name__}: {line}"
    line = SIGNATURE.sub("", SOURCE.sub("", without_temporary_folders(line)))
    return line if len(line) <= LONGEST else f"{line[:LONGEST].rsplit(maxsplit=1)[0]} …"


def without_temporary_folders(text: str) -> str:
    """Each path that begins at the system's temporary folder, cut down to its file's name."""
    for folder in {tempfile.gettempdir(), os.path.realpath(tempfile.gettempdir())}:
        beneath = rf"{re.escape(folder)}(?:[\\/][^\s\\/'\",:;()\[\]]+)*[\\/]"
        text = re.sub(beneath, "", text)
    return text
