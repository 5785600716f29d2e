"""Where things are: the project (what instructors author and release) and the course folder (what a
class produces).
"""

from __future__ import annotations

import ast
import os
import re
import secrets
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder import typed

COURSE_ID = "ml-model-formats"
CONFIG = "nbgrader_config.py"
COURSE_NAME = re.compile(r"[^\W_][\w.-]{0,63}")


class FolderError(RuntimeError):
    """A folder is not what the command needs. The text says which, and what to type."""


def default_course_id() -> str:
    """The course's name where nothing else gives one, for students too. Raises FolderError."""
    return checked_course_id(os.environ.get("AUTOGRADER_COURSE_ID") or COURSE_ID)


def checked_course_id(name: str) -> str:
    """Raises FolderError unless it can be a folder in an exchange that classes share."""
    if not COURSE_NAME.fullmatch(name):
        raise FolderError(
            f"{name!r} cannot be a course's id: take letters, digits, and . _ - behind the first, as in ml-2026-a"
        )
    return name


@dataclass(frozen=True)
class Project:
    """The checkout: `solutions/` (authored) and `labs/` (generated from it)."""

    root: Path

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def labs(self) -> Path:
        return self.root / "labs"

    @property
    def build(self) -> Path:
        return self.root / "build"

    @classmethod
    def find(cls, start: Path | None = None) -> Project:
        """The nearest folder upwards that holds `labs/` or `solutions/`, with exercises or a
        `pyproject.toml`. Raises FolderError.
        """
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            is_course = (folder / "pyproject.toml").is_file() or (folder / "exercises").is_dir()
            if is_course and ((folder / "solutions").is_dir() or (folder / "labs").is_dir()):
                return cls(folder)
        holds = next(
            (folder for folder in (start, *start.parents) if (folder / "solutions").is_dir()),
            None,
        )
        if holds is not None:
            raise FolderError(
                f"{start} is not inside the course's folder, which holds pyproject.toml or exercises/ beside labs/ and solutions/: "
                f"go there, or type `{shlex.join(['mkdir', str(holds / 'exercises')])}`, then the command again"
            )
        raise FolderError(
            f"{start} is not inside the course's folder: "
            "go to the folder that holds labs/ beside exercises/ or pyproject.toml, and type the command again"
        )

    def assignments(self) -> list[str]:
        """The assignments under `solutions/`, sorted."""
        if not self.solutions.is_dir():
            raise FolderError(
                f"{self.root} has no solutions/: releasing and publishing need the instructors' edition of the course"
            )
        return sorted(
            folder.name for folder in self.solutions.iterdir() if any(folder.glob("*.ipynb"))
        )


@dataclass(frozen=True)
class Course:
    """One class: submissions, marks, feedback, and what grading must remember. Everything that a
    command writes lies in here.
    """

    root: Path
    db: str = ""

    @property
    def course_id(self) -> str:
        """The name of this class in gradebook and exchange: what `nbgrader_config.py` gives, else
        AUTOGRADER_COURSE_ID, else COURSE_ID.

        Raises FolderError.
        """
        named = configured(self.root / CONFIG, "course_id")
        return checked_course_id(named) if named is not None else default_course_id()

    @property
    def gradebook(self) -> Path:
        """Where the gradebook is unless another address is given."""
        return self.root / "gradebook.db"

    @property
    def gradebook_url(self) -> str:
        """The gradebook's address, as SQLAlchemy takes it: `db` if it is given, else what
        nbgrader_config.py says, else a file in here.

        Raises FolderError.
        """
        return self.db or configured(self.root / CONFIG, "db_url") or f"sqlite:///{self.gradebook}"

    @property
    def has_own_gradebook(self) -> bool:
        """Whether the gradebook is the folder's own file. Raises FolderError."""
        return self.gradebook_url == f"sqlite:///{self.gradebook}"

    def typed(self, *words: object) -> str:
        """A command for this course folder, as it has to be typed in the working directory."""
        is_default = self.root == (Path.cwd() / "course-data").resolve()
        return typed.command(*words, *(() if is_default else ("--course", self.root)))

    def publishing(self, assignment: str) -> str:
        """What to do about an assignment that is not published here: `course publish` reads labs/
        and solutions/.
        """
        try:
            Project.find()
        except FolderError:
            elsewhere = typed.command("publish", assignment, "--course", self.root)
            return f"type `{elsewhere}` in the folder that holds labs/ and solutions/"
        return f"type `{self.typed('publish', assignment)}`"

    @property
    def release(self) -> Path:
        return self.root / "release"

    @property
    def submitted(self) -> Path:
        return self.root / "submitted"

    @property
    def replaced(self) -> Path:
        """Submissions that newer ones took the place of, by the time of collecting."""
        return self.root / "replaced"

    @property
    def autograded(self) -> Path:
        return self.root / "autograded"

    @property
    def feedback(self) -> Path:
        return self.root / "feedback"

    @property
    def exchange(self) -> Path:
        """nbgrader's exchange. `AUTOGRADER_EXCHANGE` names a folder that instructors and students
        share.
        """
        return Path(os.environ.get("AUTOGRADER_EXCHANGE") or self.root / "exchange").resolve()

    def private(self, *parts: str) -> Path:
        """A folder of the grader's own (mode 0700), made on first use: skeletons, seeds,
        references, journal.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        return make_private(self.root, ".autograder", *parts)

    @classmethod
    def at(cls, folder: Path | str, db: str | None = None) -> Course:
        return cls(Path(folder).resolve(), db or "")


def configured(path: Path, name: str) -> str | None:
    """The text of `c.CourseDirectory.NAME = "..."` in an nbgrader_config.py, which is not executed
    for that. The last one counts.

    Raises FolderError where it is no plain text, because nbgrader would then read something that
    this does not see.
    """
    found, wanted = None, f"CourseDirectory.{name}"
    for line in _statements(path):
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]).endswith(wanted):
            found = getattr(line.value, "value", None)
            if not isinstance(line.value, ast.Constant) or not isinstance(found, str):
                raise FolderError(
                    f"{path}, line {line.lineno}: write {name} as a plain text in quotes"
                )
    return found


def _statements(path: Path) -> list[ast.stmt]:
    """Those of a Python file; none where there is no such file. Raises FolderError."""
    try:
        return ast.parse(path.read_bytes(), str(path)).body
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, SyntaxError, ValueError) as error:
        where = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        why = getattr(error, "strerror", None) or getattr(error, "msg", None) or error
        raise FolderError(
            f"{path}{where} cannot be read ({why}): mend it, or move it away and type the command again"
        ) from None


def make_private(folder: Path, *parts: str) -> Path:
    """The folder of that path below `folder`; new ones, parents too, are the grader's (0700)."""
    for part in parts:
        folder = folder / part
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def write_private(path: Path, data: bytes | Iterable[bytes], lasting: bool = True) -> None:
    """Write a file that only the grader reads, whole or not at all: a temporary file (0600),
    flushed, then one rename.

    One that is not `lasting` may be lost, or be empty, when the power goes: whoever reads it holds
    it against a hash.
    """
    # Process numbers repeat where a folder is shared: between machines, containers and threads.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            if lasting:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:  # a full disk: nothing half-written stays
        temporary.unlink(missing_ok=True)
        raise
