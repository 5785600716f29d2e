"""Intake: from a submission's folder to bytes, with links and special files refused and every size and count capped.

Nothing here looks inside a file. Folders are opened one descriptor at a time without following links, so that what was looked at is what
is read.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAX_NOTEBOOK = 32 << 20
MAX_FILE = 64 << 20
MAX_TOTAL = 256 << 20
MAX_FILES = 500
MAX_DEPTH = 6
FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True)
class Submission:
    """What one student handed in. `refused` maps a notebook to the reason why its bytes were not taken."""

    student: str
    notebooks: dict[str, bytes] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    timestamp: str | None = None

    @property
    def digest(self) -> str:
        """SHA-256 over everything that was taken or refused."""
        total = hashlib.sha256()
        for name, data in sorted({**self.notebooks, **self.files}.items()):
            total.update(f"{name}\0{len(data)}\0".encode() + data)
        total.update(repr((sorted(self.refused.items()), self.remarks, self.timestamp)).encode())
        return total.hexdigest()


def students(submitted: Path, assignment: str) -> list[str]:
    """Students that have a folder for the assignment, sorted. Folders that are links are listed too, and refused by `take`."""
    if not submitted.is_dir():
        return []
    return sorted(entry.name for entry in os.scandir(submitted) if os.path.lexists(Path(entry.path) / assignment) and _is_name(entry.name))


def take(submitted: Path, student: str, assignment: str, with_files: bool = False) -> Submission:
    """Read a student's folder into memory. `with_files` keeps what is not a notebook too (plain assignments need it)."""
    notebooks, files, refused, remarks = {}, {}, {}, []
    taken = 0
    timestamp = None
    try:
        root = _open_folder(submitted / student, assignment)
    except OSError:
        return Submission(student, refused={"*": "the submission's folder is a link or cannot be read: hand in a real folder"})
    try:
        for count, (path, descriptor, name, problem) in enumerate(_walk(root)):
            notebook = path.removesuffix(".ipynb") if path.endswith(".ipynb") and "/" not in path else None
            if count >= MAX_FILES:
                remarks.append(f"more than {MAX_FILES} files: the rest was not read")
                break
            data, problem = (None, problem) if problem else _read(descriptor, name, MAX_NOTEBOOK if notebook else MAX_FILE)
            taken += len(data or b"")
            if problem is None and taken > MAX_TOTAL:
                problem = f"the submission is larger than {MAX_TOTAL >> 20} MB"
            if problem is not None:
                (refused.__setitem__(notebook, problem) if notebook else remarks.append(f"{_shown(path)}: {problem}"))
            elif notebook is not None:
                notebooks[notebook] = data
            elif path == "timestamp.txt":
                timestamp = data[:64].decode("ascii", "replace").strip() or None
            elif with_files:
                files[path] = data
    finally:
        os.close(root)
    return Submission(student, notebooks, files, refused, tuple(remarks), timestamp)


def _open_folder(parent: Path, name: str) -> int:
    outer = os.open(parent, FLAGS | os.O_DIRECTORY)
    try:
        return os.open(name, FLAGS | os.O_DIRECTORY, dir_fd=outer)
    finally:
        os.close(outer)


def _walk(folder: int, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, int, str, str | None]]:
    """Every entry below a folder that is not a folder itself: its path, its folder's descriptor, its name, what is wrong with it."""
    for name in sorted(os.listdir(folder))[: MAX_FILES + 1]:
        path = f"{prefix}{name}"
        mode = os.lstat(name, dir_fd=folder).st_mode
        if stat.S_ISLNK(mode):
            yield path, folder, name, "is a link: hand in the file itself"
        elif stat.S_ISDIR(mode) and depth < MAX_DEPTH:
            if name in (".ipynb_checkpoints", "__pycache__"):
                continue
            inner = os.open(name, FLAGS | os.O_DIRECTORY, dir_fd=folder)
            try:
                yield from _walk(inner, f"{path}/", depth + 1)
            finally:
                os.close(inner)
        elif not stat.S_ISREG(mode):
            yield path, folder, name, "is not a regular file"
        else:
            yield path, folder, name, None


def _read(folder: int, name: str, limit: int) -> tuple[bytes | None, str | None]:
    try:
        descriptor = os.open(name, FLAGS, dir_fd=folder)
    except OSError as error:
        return None, f"cannot be read ({error.strerror})"
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None, "is not a regular file"
        if status.st_nlink > 1:
            return None, "is a hard link: hand in a copy of the file"
        if status.st_size > limit:
            return None, f"is larger than {limit >> 20} MB: clear its outputs and hand it in again"
        data = file.read(limit + 1)
    return (data, None) if len(data) <= limit else (None, f"is larger than {limit >> 20} MB")


def _is_name(name: str) -> bool:
    return not name.startswith(".") and all(char.isprintable() and char not in "/\\" for char in name)


def _shown(path: str) -> str:
    return "".join(char if char.isprintable() else "�" for char in path)[:120]
