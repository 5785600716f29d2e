"""Intake: from a submission's folder to bytes, with links and special files refused and every size
and count capped.

Nothing here looks inside a file. Whatever is wrong with one student's folder stays with that
student: what he can cause is refused with a reason and costs him alone, what the machine causes is
an IntakeFault, and nobody gets a mark for it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from autograder import wire
from autograder.grading import times, untrusted

MAX_NOTEBOOK = 32 << 20
MAX_TOTAL = 256 << 20
SECRET_FILE = "submission_secret.txt"
SECRET = re.compile(rb"[0-9A-Za-z]{32,256}")  # nbgrader's own has 128 hex digits


class IntakeFault(RuntimeError):
    """A submission could not be read through no fault of its student. The text says why, and what
    to do.
    """


@dataclass(frozen=True)
class Submission:
    """What one student handed in. `refused` maps a notebook to the reason why its bytes were not
    taken.
    """

    student: str
    notebooks: dict[str, wire.Blob] = field(default_factory=dict)
    files: dict[str, wire.Blob] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    timestamp: str | None = None
    secret: str | None = None

    @cached_property
    def digest(self) -> str:
        """SHA-256 over everything that was taken or refused."""
        total = hashlib.sha256()
        books = {f"{name}.ipynb": data for name, data in self.notebooks.items()}
        for name, data in sorted({**books, **self.files}.items()):
            total.update(os.fsencode(f"{name}\0{len(data)}\0"))
            for part in wire.parts_of(data):
                total.update(part)
        total.update(
            ascii(
                (sorted(self.refused.items()), self.remarks, self.timestamp, self.secret)
            ).encode()
        )
        return total.hexdigest()


def students(submitted: Path, assignment: str) -> list[str]:
    """Students that have a folder for the assignment, sorted. Folders that are links are listed
    too, and refused by `take`.

    Raises IntakeFault when the folder of all submissions cannot be read.
    """
    try:
        names = [entry.name for entry in os.scandir(submitted) if not entry.name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise IntakeFault(
            f"{submitted} cannot be read ({error.strerror}): mend that, and type the command again"
        ) from None
    return sorted(name for name in names if _is_there(submitted / name / assignment))


def passed_over(submitted: Path, assignment: str, known: Collection[str]) -> list[str]:
    """What may have been meant as a submission of the assignment and is none, sorted: in the folder
    of a student without one, what has no assignment's name, one for each student; and files that
    lie beside the students' folders.
    """
    found = []
    for student in untrusted.listed(submitted):
        if student.is_dir(follow_symlinks=False):
            if not _is_there(submitted / student.name / assignment):
                inside = (each.name for each in untrusted.listed(submitted / student.name))
                other = next((name for name in inside if name not in known), None)
                found += [f"{student.name}/{other}"] if other else []
        elif student.name.endswith((".ipynb", ".zip")):
            found.append(student.name)
    return sorted(found)


def _is_there(folder: Path) -> bool:
    """What cannot be looked at counts as there: `take` says why."""
    try:
        os.lstat(folder)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def take(submitted: Path, student: str, assignment: str, with_files: bool = False) -> Submission:
    """Read a student's folder, small files into memory and large ones into a file without a name.

    `with_files` keeps what is not a notebook too (plain assignments need it).

    Raises IntakeFault for what is no fault of the student: an error of the disk, no file
    descriptors left, a folder that nobody is called.
    """
    if not untrusted.is_plain(student):
        raise IntakeFault(
            f"the folder {untrusted.shown(student)!r} has no student's name: rename it, and type the command again"
        )
    try:
        return _take(submitted, student, assignment, with_files)
    except OSError as error:
        if error.errno not in untrusted.THEIRS:
            raise IntakeFault(
                f"the submission could not be read ({error.strerror}): mend that, and type the command again"
            ) from None
        reason = f"the submission's folder is a link or cannot be read ({error.strerror}): hand in a real folder"
        return Submission(student, refused={"*": reason})


def _take(submitted: Path, student: str, assignment: str, with_files: bool) -> Submission:
    taken = _Taken(with_files)
    root = untrusted.open_folder(submitted / student, assignment)
    try:
        for count, (path, descriptor, name, problem) in enumerate(untrusted.walk(root)):
            if count >= untrusted.MAX_FILES:
                taken.remarks.append(
                    f"more than {untrusted.MAX_FILES} files: the rest was not read"
                )
                break
            taken.file(path, descriptor, name, problem)
    finally:
        os.close(root)
    found = (taken.notebooks, taken.files, taken.refused, tuple(taken.remarks))
    return Submission(student, *found, taken.timestamp, taken.secret)


class _Taken:
    """What was read of a submission's folder so far."""

    def __init__(self, with_files: bool):
        self._with_files, self._bytes, self._store = with_files, 0, wire.Store()
        self.notebooks: dict[str, wire.Blob] = {}
        self.files: dict[str, wire.Blob] = {}
        self.refused: dict[str, str] = {}
        self.remarks: list[str] = []
        self.timestamp: str | None = None
        self.secret: str | None = None

    def file(self, path: str, descriptor: int, name: str, problem: str | None) -> None:
        """Read the file `name` of the folder `descriptor`, unless there is a problem with it."""
        if not untrusted.is_plain(path, slashes=True):
            self.remarks.append(
                f"{untrusted.shown(path)}: its name holds characters that cannot be shown, so it was not read: rename it"
            )
            return
        is_notebook = path.endswith(".ipynb") and "/" not in path
        data = None
        if problem is None:
            data, problem = self._read(path, descriptor, name, is_notebook)
        if problem is None:
            self._keep(path, descriptor, name, data, is_notebook)
        elif is_notebook:
            self.refused[path.removesuffix(".ipynb")] = problem
        else:
            self.remarks.append(f"{untrusted.shown(path)}: {problem}")

    def _read(
        self, path: str, descriptor: int, name: str, is_notebook: bool
    ) -> tuple[wire.Blob | None, str | None]:
        """A file's bytes, or what is wrong with it or with how much was read by now."""
        most = MAX_NOTEBOOK if is_notebook else untrusted.MAX_FILE
        kept = None if path in (times.FILE, SECRET_FILE) else self._store
        data, problem = untrusted.read(descriptor, name, most, kept)
        self._bytes += len(data or b"")
        if problem is None and self._bytes > MAX_TOTAL:
            problem = f"the submission is larger than {MAX_TOTAL >> 20} MB"
        return data, problem

    def _keep(
        self, path: str, descriptor: int, name: str, data: wire.Blob, is_notebook: bool
    ) -> None:
        if is_notebook:
            self.notebooks[path.removesuffix(".ipynb")] = data
        elif path == times.FILE:
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            self.timestamp, remark = times.believed(data, status)
            self.remarks += [remark] if remark else []
        elif path == SECRET_FILE:
            # By it nbgrader names the feedback's file in the exchange, which only this student can
            # then find.
            self.secret = data.decode("ascii") if SECRET.fullmatch(data) else None
        elif self._with_files:
            self.files[path] = data
