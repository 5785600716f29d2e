"""The one way into `submitted/`: a submission is made ready aside, what it replaces is put away,
and it takes its place by a rename.

Nothing is ever deleted here but copies that this process made and could not use. What a newer
submission replaces is moved to `replaced/<time of collecting>/<student>/<assignment>`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autograder.course import manifest
from autograder.course.roster import problem_of
from autograder.grading import intake, times, untrusted
from autograder.grading.folders import Course
from autograder.grading.locks import held

STAGING = ".arriving-"
MAX_BYTES = intake.MAX_TOTAL
NOT_WORK = {times.FILE, manifest.FILE}  # what says when and whose, and is no part of the work


class ArrivalRefused(RuntimeError):
    """A submission cannot take its place. The text says why, and what to do; nothing was changed."""


@dataclass(frozen=True)
class Arrival:
    """One submission in its place. `kept` is where the one that it replaced lies now; `is_new` is
    false when the same files were there.
    """

    student: str
    is_new: bool
    kept: Path | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dock:
    """Where submissions are made ready. One at a time for a course."""

    course: Course
    folder: Path
    began: datetime

    def stage(self, files: Mapping[str, bytes]) -> Path:
        """Put files (names without folders) into a folder of their own, aside."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        for name, data in files.items():
            (place / name).write_bytes(data)
        return place

    def copy(self, source: Path) -> tuple[Path, list[str]]:
        """A copy of a folder, aside, and remarks on what was left out. Links stay links, so that
        grading refuses them by name.

        Raises ArrivalRefused when the folder is a link, cannot be read, or is too large;
        IntakeFault when the machine is at fault.
        """
        place = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            return place, list(_copied(source, place))
        except OSError as error:
            if error.errno not in untrusted.THEIRS:
                raise
            raise ArrivalRefused(
                f"the folder is a link or cannot be read ({error.strerror})"
            ) from None

    def land(self, place: Path, student: str, assignment: str, when: datetime) -> Arrival:
        """Move what was made ready into `submitted/`, unless the same files are there. Raises
        ArrivalRefused.
        """
        target = self._target(student, assignment)
        if _same(place, target):
            return Arrival(student, is_new=False)
        place.chmod(0o755)
        for name in NOT_WORK:
            _discard(place / name)
        (place / times.FILE).write_text(times.written(when))
        kept = self._put_away(target, student, assignment) if os.path.lexists(target) else None
        target.parent.mkdir(exist_ok=True)
        try:
            os.rename(place, target)
        except OSError:
            if kept:
                os.rename(kept, target)
            raise
        return Arrival(student, is_new=True, kept=kept)

    def holds(self, student: str, assignment: str) -> bool:
        return os.path.lexists(self._target(student, assignment))

    def time_of(self, student: str, assignment: str) -> datetime | None:
        """When the submission that is there came in."""
        try:
            return times.parsed(
                (self._target(student, assignment) / times.FILE).read_text()[:64].strip()
            )
        except (OSError, ValueError):
            return None

    def _target(self, student: str, assignment: str) -> Path:
        if problem := problem_of(student):
            raise ArrivalRefused(
                f"{untrusted.shown(student)!r} cannot be a student's name, it {problem}"
            )
        parent = self.course.submitted / student
        if os.path.lexists(parent) and not stat.S_ISDIR(os.lstat(parent).st_mode):
            raise ArrivalRefused(
                f"{parent} is a link or a file: move it away, and type the command again"
            )
        return parent / assignment

    def _put_away(self, target: Path, student: str, assignment: str) -> Path:
        folder = self.course.replaced / self.began.strftime("%Y-%m-%dT%H-%M-%S.%f") / student
        folder.mkdir(parents=True, exist_ok=True)
        kept = (
            Path(tempfile.mkdtemp(prefix=f"{assignment}.", dir=folder))
            if os.path.lexists(folder / assignment)
            else folder / assignment
        )
        os.rename(target, kept)
        return kept


@contextmanager
def dock(course: Course) -> Iterator[Dock]:
    """A place to make submissions ready, on the same file system as `submitted/`; emptied at the
    end. Raises ArrivalRefused.
    """
    course.submitted.mkdir(parents=True, exist_ok=True)
    refusal = ArrivalRefused(
        f"another `course collect` is at work in {course.root}: wait for it, or stop it"
    )
    with held(course.private() / "collecting", refusal):
        for left in course.submitted.glob(f"{STAGING}*"):  # copies of a run that was killed
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(
            prefix=STAGING, dir=course.submitted, ignore_cleanup_errors=True
        ) as folder:
            yield Dock(course, Path(folder), times.now())


def _copied(source: Path, place: Path) -> Iterator[str]:
    left = MAX_BYTES
    for count, entry in enumerate(untrusted.entries(source)):
        if count > untrusted.MAX_FILES:
            yield f"it has more than {untrusted.MAX_FILES} files: the rest was left out"
            return
        target = _place(place / entry.path)
        if entry.link is not None:
            target.symlink_to(entry.link)
        elif entry.problem is not None:
            yield f"{untrusted.shown(entry.path)} {entry.problem}: it was left out"
        elif (left := left - len(entry.data)) < 0:
            raise ArrivalRefused(f"it is larger than {MAX_BYTES >> 20} MB")
        else:
            target.write_bytes(entry.data)


def _place(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _discard(path: Path) -> None:
    """Remove something from a copy of ours, whatever it is."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _same(place: Path, target: Path) -> bool:
    if os.path.islink(target) or not target.is_dir():
        return False
    return _content(place) == _content(target)


def _content(folder: Path) -> dict[str, bytes | str]:
    """The digest of every file by its path, and where links lead."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] in NOT_WORK:
            continue
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            with path.open("rb") as file:
                found[name] = hashlib.file_digest(file, "sha256").digest()
    return found
