"""The one way into `submitted/`: a submission is made ready aside, what it replaces is put away,
and it takes its place by a rename.

Nothing is ever deleted here but copies that this process made and could not use. What a newer
submission replaces is moved to `replaced/<time of collecting>/<student>/<assignment>`. The same
files again change nothing but the time, and that only where somebody gave it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from nbjudge.course import manifest
from nbjudge.course.roster import problem_of
from nbjudge.grading.config.folders import Course
from nbjudge.grading.config.locks import held
from nbjudge.grading.intake import intake, notebook_names, times, untrusted

STAGING = ".arriving-"
MAX_BYTES = intake.MAX_TOTAL
MOST_NAMED = 6
NOT_WORK = {times.FILE, manifest.FILE}  # what says when and whose, and is no part of the work


class ArrivalRefused(RuntimeError):
    """A submission cannot take its place. The text says why, and what to do; nothing was changed."""


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """One submission in its place, out of `source`. `kept` is where the one that it replaced lies
    now, and `replaced` names the files that differ; `is_new` is false when the same files were
    there. `when` is its time, and `given_by` who gave it, "" for what we saw ourselves.
    """

    student: str
    is_new: bool
    kept: Path | None = None
    remarks: tuple[str, ...] = ()
    source: str = ""
    replaced: tuple[str, ...] = ()
    when: datetime | None = None
    given_by: str = ""


@dataclass(frozen=True)
class Dock:
    """Where submissions are made ready. One at a time for a course."""

    course: Course
    folder: Path
    began: datetime

    def stage(self, files: Mapping[str, bytes]) -> Path:
        """Put files into a folder of their own, aside. Their paths lead nowhere else, and none is
        a file and a folder.
        """
        place = Path(tempfile.mkdtemp(dir=self.folder))
        for name, data in files.items():
            _place(place / name).write_bytes(data)
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

    def land(
        self,
        place: Path,
        student: str,
        assignment: str,
        *,
        when: datetime,
        given_by: str = "",
        source: str = "",
    ) -> Arrival:
        """Move what was made ready into `submitted/`, unless the same files are there. Raises
        ArrivalRefused.
        """
        target = self._target(student, assignment)
        differs = _differing(place, target)
        told = Arrival(
            student=student,
            is_new=differs != [],
            source=source,
            replaced=tuple(differs or ()),
            when=when,
            given_by=given_by,
        )
        if not told.is_new:
            return replace(told, remarks=self._corrected(target, when, given_by))
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
        return replace(told, kept=kept)

    def has_another(self, place: Path, student: str, assignment: str) -> bool:
        """Whether other files of the student are there than those that were made ready."""
        return bool(_differing(place, self._target(student, assignment)))

    def _corrected(self, target: Path, when: datetime, given_by: str) -> tuple[str, ...]:
        """Give what is there the time that somebody gave now; a line if that is another one."""
        path = target / times.FILE
        before = _time_in(path)
        if not given_by or before == when or path.is_symlink():
            return ()
        fresh = self.folder / f"{times.FILE}.new"
        fresh.write_text(times.written(when))
        os.replace(fresh, path)
        old = times.shown(before) if before else "none"
        return (f"the time is {times.shown(when)} now ({given_by}), and was {old}",)

    def holds(self, student: str, assignment: str) -> bool:
        return os.path.lexists(self._target(student, assignment))

    def time_of(self, student: str, assignment: str) -> datetime | None:
        """When the submission that is there came in."""
        return _time_in(self._target(student, assignment) / times.FILE)

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


def _time_in(path: Path) -> datetime | None:
    try:
        return times.parsed(path.read_text()[:64].strip())
    except (OSError, ValueError):
        return None


def _copied(source: Path, place: Path) -> Iterator[str]:
    left = MAX_BYTES
    others = 0
    for entry in untrusted.entries(source):
        others += not notebook_names.named(entry.path, ())
        if others > untrusted.MAX_FILES and not notebook_names.named(entry.path, ()):
            # Notebooks go on: no other file may cost one its place.
            if others == untrusted.MAX_FILES + 1:
                yield f"it has more than {untrusted.MAX_FILES} files: the rest was left out, from {untrusted.shown(entry.path)} on"
            continue
        target = _place(place / entry.path)
        if entry.link is not None:
            target.symlink_to(entry.link)
        elif entry.problem is not None:
            yield f"{untrusted.shown(entry.path)} {entry.problem}: it was left out"
        else:
            data = bytes(entry.data or b"")
            left -= len(data)
            if left < 0:
                raise ArrivalRefused(f"it is larger than {MAX_BYTES >> 20} MB")
            target.write_bytes(data)


def _place(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _discard(path: Path) -> None:
    """Remove something from a copy of ours, whatever it is."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _differing(place: Path, target: Path) -> list[str] | None:
    """The files in which two folders differ, [] where they are the same; None where there is no
    other folder.
    """
    if not os.path.lexists(target):
        return None
    if os.path.islink(target) or not target.is_dir():
        return [target.name]
    here = _content(place)
    there = _content(target)
    return sorted(name for name in here.keys() | there.keys() if here.get(name) != there.get(name))


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
