"""Where things are: the project (what instructors author and release) and the course folder (what a
class produces).
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from traitlets.config import Config

from nbjudge import typed
from nbjudge.grading import CONFIG

COURSE_ID = "ml-model-formats"
COURSE_NAME = re.compile(r"[^\W_][\w.-]{0,63}")
EXCHANGE = "AUTOGRADER_EXCHANGE"
# The address of a SQLite file that is named without the folder that it lies in.
RELATIVE_FILE = re.compile(r"sqlite:///([^/:?][^?]*)")


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
    """The checkout: `solutions/` (authored) and `labs/` (generated from it). A course of nbgrader's
    has `source/` in the place of `solutions/`.
    """

    root: Path

    @property
    def solutions(self) -> Path:
        own = self.root / "solutions"
        nbgraders = self.root / "source"
        return nbgraders if nbgraders.is_dir() and not own.is_dir() else own

    @property
    def labs(self) -> Path:
        return self.root / "labs"

    @property
    def build(self) -> Path:
        return self.root / "build"

    @classmethod
    def find(cls, start: Path | None = None) -> Project:
        """The nearest folder upwards that holds `labs/`, `solutions/` or `source/`, with exercises,
        a `pyproject.toml` or settings of nbgrader's. Raises FolderError.
        """
        start = (start or Path.cwd()).resolve()
        marks = ("exercises", "pyproject.toml", CONFIG, "nbgrader_config.json")
        holding = [
            folder
            for folder in (start, *start.parents)
            if any((folder / name).is_dir() for name in ("labs", "solutions", "source"))
        ]
        for folder in holding:
            if any((folder / name).exists() for name in marks):
                return cls(folder)
        holds = holding[0] if holding else None
        if holds is not None:
            raise FolderError(
                f"{holds} is known as a course's folder by pyproject.toml, exercises/ or nbgrader_config.py, and has none of them: "
                f"type `{shlex.join(['mkdir', str(holds / 'exercises')])}`, then the command again"
            )
        raise FolderError(
            f"{start} is not inside the course's folder: go to the folder that holds labs/, solutions/ or source/ and type the command again"
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
    def settings(self) -> Config:
        """What nbgrader_config.py and nbgrader_config.json in here set. Raises SettingsError."""
        from nbjudge.grading.config import (
            settings,  # traitlets, which a student's commands do without
        )

        return settings.read(self.root)

    def _setting(self, section: str, name: str) -> str | None:
        from nbjudge.grading.config import settings

        return settings.text(self.settings, section, name)

    @property
    def course_id(self) -> str:
        """The name of this class in gradebook and exchange: what the settings give, else
        AUTOGRADER_COURSE_ID, else COURSE_ID.

        Raises FolderError, SettingsError.
        """
        named = self._setting("CourseDirectory", "course_id")
        return checked_course_id(named) if named is not None else default_course_id()

    @property
    def gradebook(self) -> Path:
        """Where the gradebook is unless another address is given."""
        return self.root / "gradebook.db"

    @property
    def gradebook_url(self) -> str:
        """The gradebook's address, as SQLAlchemy takes it: `db` if it is given, else what the
        settings say, else a file in here. A SQLite file without a whole path lies in here, as for
        nbgrader, whose commands are typed in here.

        Raises FolderError, SettingsError.
        """
        named = self._setting("CourseDirectory", "db_url") if not self.db else None
        if named and (file := RELATIVE_FILE.fullmatch(named)):
            return f"sqlite:///{self.root / file[1]}"
        return self.db or named or f"sqlite:///{self.gradebook}"

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
        """nbgrader's exchange: what the settings name, else the folder that AUTOGRADER_EXCHANGE
        names, else one in here. Raises FolderError.
        """
        told = os.environ.get(EXCHANGE)
        return self.named_exchange or Path(told or self.root / "exchange").resolve()

    @property
    def named_exchange(self) -> Path | None:
        """The exchange that the settings name, None where they name none. Raises FolderError."""
        return self._named("root")

    @property
    def exchange_cache(self) -> Path:
        """Where nbgrader keeps what this account handed in itself. Raises FolderError."""
        return self._named("cache") or self.exchange / "cache"

    def _named(self, name: str) -> Path | None:
        """A folder of the exchange by the settings. One that lay in the course folder when that was
        written moves and is copied with it.
        """
        named = self._setting("Exchange", name)
        if named is None:
            return None
        place = self.root / named
        before = self._setting("CourseDirectory", "root")
        if before and place.is_relative_to(before):
            place = self.root / place.relative_to(before)
        return place.resolve()

    def private(self, *parts: str) -> Path:
        """A folder of the grader's own (mode 0700), made on first use: skeletons, seeds,
        references, journal.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        return make_private(self.root, ".nbjudge", *parts)

    @classmethod
    def at(cls, folder: Path | str, db: str | None = None) -> Course:
        return cls(Path(folder).resolve(), db or "")


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
