"""The folder through which the supervisor offers cases to the kernel and takes answers from it.

    0003.case      written by the supervisor: one frame with the case's name, parameters, seconds
                   and files
    0003.calling   made by the kernel when it starts the case
    0003.answer    renamed into place by the kernel: one frame with the outcome, the error and the
                   files

Everything in the folder may have been put there by the student's code: names are fixed, links are
not followed, sizes are capped.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from nbjudge import wire
from nbjudge.contract import Answer

# Beside the spool: the public cases, for notebooks that look at them.
GIVEN = "given"
_MAX_FILES = 64


def place(given: Iterable[wire.Frame], folder: Path) -> None:
    """Put the public cases where the kernel looks for them. It may do with them what it likes."""
    folder.mkdir(mode=0o700)
    for number, frame in enumerate(given):
        header = frame.header
        data = wire.encode(
            "case",
            frame.blobs,
            exercise=header["exercise"],
            name=header["name"],
            parameters=header["parameters"],
        )
        Path(folder, f"{number:04}.case").write_bytes(data)


class Spool:
    """The supervisor's side. `answer_bytes` bounds one answer."""

    def __init__(self, folder: Path, answer_bytes: int):
        folder.mkdir(mode=0o700)
        self._folder = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._answer_bytes = answer_bytes

    def close(self) -> None:
        os.close(self._folder)

    def offer(self, cases: Iterable[tuple[int, bytes]]) -> None:
        """Put numbered, encoded cases into the folder. Raises OSError when the student's code has
        filled it.
        """
        for number, data in cases:
            self._remove(number)
            handle = os.open(
                f"{number:04}.case",
                os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC,
                0o600,
                dir_fd=self._folder,
            )
            with os.fdopen(handle, "wb") as file:
                file.write(data)

    def withdraw(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._remove(number)

    def is_calling(self, number: int) -> bool:
        try:
            os.stat(f"{number:04}.calling", dir_fd=self._folder, follow_symlinks=False)
        except OSError:
            return False
        return True

    def take(self, number: int) -> Answer | None:
        """The answer to a case, if there is one yet."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            handle = os.open(f"{number:04}.answer", flags, dir_fd=self._folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            return _broken(f"it cannot be read: {error.strerror}")
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            os.close(handle)
            return _broken("it is no regular file")
        with os.fdopen(handle, "rb") as file:
            if status.st_size > self._answer_bytes:
                found = f"{status.st_size} bytes"
                most = f"at most {self._answer_bytes} bytes"
                return Answer("too_large", error={"found": found, "expected": most})
            return parse_answer(file.read(self._answer_bytes))

    def _remove(self, number: int) -> None:
        for suffix in ("case", "calling", "answer"):
            with contextlib.suppress(OSError):
                os.unlink(f"{number:04}.{suffix}", dir_fd=self._folder)


_NO_OUTCOME = "it has no known outcome"


def parse_answer(data: bytes) -> Answer:
    """An answer that may be anything."""
    try:
        frame = next(wire.read(io.BytesIO(data), len(data)), None)
    except wire.WireError as broken:
        return _broken(str(broken))
    if frame is None:
        return _broken(_NO_OUTCOME)
    answer = Answer.read(frame.header, frame.files) if len(frame.blobs) <= _MAX_FILES else None
    if answer is None:
        return _broken(_NO_OUTCOME)
    if any(len(name) > 100 or not name.isprintable() for name in frame.blobs):
        return _broken("a file in it has an unprintable name")
    return answer


def _broken(reason: str) -> Answer:
    return Answer(
        "killed",
        error={
            "type": "BrokenAnswer",
            "text": f"the answer that the notebook left is malformed: {reason}",
        },
    )
