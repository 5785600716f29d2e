"""Intake: from a submission's folder to bytes, with links and special files refused and every size
and count capped. Which file is which notebook is said by `naming`.

Nothing here looks inside a file, but for how it begins where its name is odd. Whatever is wrong with one student's folder stays with that
student: what he can cause is refused with a reason and costs him alone, what the machine causes is
an IntakeFault, and nobody gets a mark for it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path

from nbjudge import limits, wire
from nbjudge.grading.intake import notebook_names, times, untrusted
from nbjudge.grading.store import hashes

MAX_NOTEBOOK = limits.NOTEBOOK
MAX_TOTAL = limits.SUBMISSION
SECRET_FILE = "submission_secret.txt"
SECRET = re.compile(rb"[0-9A-Za-z]{32,256}")  # nbgrader's own has 128 hex digits


class IntakeFault(RuntimeError):
    """A submission could not be read through no fault of its student. The text says why, and what
    to do.
    """


@dataclass(frozen=True)
class Submission:
    """What one student handed in. `refused` maps a notebook to the reason why its bytes were not
    taken, `found_as` one to its path if that is not its own name. `notes` are lines on what was
    taken as what, `remarks` on what was not taken.
    """

    student: str
    notebooks: dict[str, wire.Blob] = field(default_factory=dict)
    _: KW_ONLY
    files: dict[str, wire.Blob] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    timestamp: str | None = None
    secret: str | None = None
    found_as: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

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
                (
                    sorted(self.refused.items()),
                    self.remarks,
                    self.timestamp,
                    self.secret,
                    self.notes,
                )
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
        elif student.name.endswith((".ipynb", *limits.ARCHIVE_SUFFIXES)):
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


def take(
    submitted: Path,
    student: str,
    assignment: str,
    with_files: bool = False,
    expected: Collection[str] = (),
) -> Submission:
    """Read a student's folder, small files into memory and large ones into a file without a name.

    `with_files` keeps what is not a notebook too (plain assignments need it). `expected` are the
    names of the notebooks that were published.

    Raises IntakeFault for what is no fault of the student: an error of the disk, no file
    descriptors left, a folder that nobody is called.
    """
    if not untrusted.is_plain(student):
        raise IntakeFault(
            f"the folder {untrusted.shown(student)!r} has no student's name: rename it, and type the command again"
        )
    try:
        return _take(submitted, student, assignment, with_files, expected)
    except OSError as error:
        if error.errno not in untrusted.THEIRS:
            raise IntakeFault(
                f"the submission could not be read ({error.strerror}): mend that, and type the command again"
            ) from None
        reason = f"the submission's folder is a link or cannot be read ({error.strerror}): hand in a real folder"
        return Submission(student, refused={"*": reason})


def _take(
    submitted: Path, student: str, assignment: str, with_files: bool, expected: Collection[str]
) -> Submission:
    taken = _Taken(with_files)
    root = untrusted.open_folder(submitted / student, assignment)
    try:
        # Notebooks first: no other file may cost one its place.
        for is_turn_of_notebooks in (True, False):
            for path, descriptor, name, problem in untrusted.walk(root):
                is_notebook = notebook_names.named(path, expected) is not None
                if is_notebook is is_turn_of_notebooks:
                    taken.file(path, descriptor, name, problem, is_notebook)
    finally:
        os.close(root)
    return taken.submission(student, expected)


class _Taken:
    """What was read of a submission's folder so far."""

    def __init__(self, with_files: bool):
        self._with_files = with_files
        self._bytes = 0
        self._store = wire.Store()
        self._count = 0
        self._books: dict[str, wire.Blob] = {}
        self._problems: dict[str, str] = {}
        self._files: dict[str, wire.Blob] = {}
        self._remarks: list[str] = []
        self._timestamp: str | None = None
        self._secret: str | None = None

    def submission(self, student: str, expected: Collection[str]) -> Submission:
        """All of it, when every file was looked at."""
        books = self._books
        problems = self._problems
        chosen = notebook_names.choose(
            {**books, **problems},
            expected,
            lambda path: path in books and notebook_names.begins_as_notebook(books[path]),
            lambda path: hashes.of_blob(books[path]) if path in books else path,
        )
        here = {name: path for name, path in chosen.notebooks.items() if path in books}
        told = {
            *chosen.notebooks.values(),
            *(path for two in chosen.doubled.values() for path in two),
        }
        self._remarks += [f"{path}: {why}" for path, why in problems.items() if path not in told]
        refused = {
            name: problems[path] for name, path in chosen.notebooks.items() if path in problems
        }
        refused |= {
            name: notebook_names.doubled(paths, name) for name, paths in chosen.doubled.items()
        }
        files = self._beside(chosen, set(here.values()))
        return Submission(
            student=student,
            notebooks={name: books[path] for name, path in here.items()},
            files=files,
            refused=refused,
            remarks=tuple(self._remarks),
            timestamp=self._timestamp,
            secret=self._secret,
            found_as={name: path for name, path in here.items() if path != f"{name}.ipynb"},
            notes=chosen.remarks,
        )

    def _beside(
        self, chosen: notebook_names.Choice, notebooks: Collection[str]
    ) -> dict[str, wire.Blob]:
        """The files beside the notebooks, as they are seen from the lab's folder: those in it go
        before those that lie elsewhere. A notebook at the top that does not count is none of them.
        """
        if not self._with_files:
            return {}
        spare = {
            path: data
            for path, data in self._books.items()
            if path not in notebooks and not _is_at_top(path, chosen.folder)
        }
        every = {**spare, **self._files}
        inside = sorted(every, key=lambda path: not path.startswith(f"{chosen.folder}/"))
        files: dict[str, wire.Blob] = {}
        for path in inside:
            seen = notebook_names.seen_from(chosen.folder, path)
            if seen in files:
                self._remarks.append(f"{path} was not read: another file lies in its place")
            else:
                files[seen] = every[path]
        return files

    def file(
        self, path: str, descriptor: int, name: str, problem: str | None, is_notebook: bool
    ) -> None:
        """Read the file `name` of the folder `descriptor`, unless there is a problem with it."""
        if not untrusted.is_plain(path, slashes=True):
            self._remarks.append(
                f"{untrusted.shown(path)}: its name holds characters that cannot be shown, so it was not read: rename it"
            )
            return
        self._count += 1
        if self._count > untrusted.MAX_FILES:
            if self._count == untrusted.MAX_FILES + 1:
                self._remarks.append(
                    f"more than {untrusted.MAX_FILES} files: the rest was not read"
                )
            return
        data = None
        if problem is None:
            data, problem = self._read(path, descriptor, name, is_notebook)
        if problem is None and data is not None:
            self._keep(path, descriptor, name, data, is_notebook)
        elif is_notebook and path.lower().endswith(".ipynb"):
            self._problems[path] = str(problem)
        else:
            self._remarks.append(f"{untrusted.shown(path)}: {problem}")

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
            self._books[path] = data
        elif path == times.FILE:
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            self._timestamp, remark = times.believed(bytes(data), status)
            self._remarks += [remark] if remark else []
        elif path == SECRET_FILE:
            # By it nbgrader names the feedback's file in the exchange, which only this student can
            # then find.
            text = bytes(data)
            self._secret = text.decode("ascii") if SECRET.fullmatch(text) else None
        elif self._with_files:
            self._files[path] = data


def _is_at_top(path: str, folder: str) -> bool:
    return path.lower().endswith(".ipynb") and path.rpartition("/")[0] == folder
