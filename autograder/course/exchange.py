"""`course submit` and `course collect`: nbgrader's exchange, and zip files where a class has none."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import stat
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeCollect, ExchangeSubmit
from traitlets.config import Config

from autograder import boxes, wire
from autograder.course import config as course_config
from autograder.grading.folders import COURSE_ID, Course

UNPACKER = "autograder.boxes.inside.archive"
MAX_ARCHIVE = 256 << 20


class ExchangeProblem(RuntimeError):
    """A submission could not be handed in or collected. The text says why, and what to do."""


class LinkKeepingCollect(ExchangeCollect):
    """nbgrader's collect, but a link stays a link: followed, it would copy a file that the student cannot read into the submission."""

    def do_copy(self, src, dest, log=None):
        shutil.copytree(src, dest, symlinks=True, ignore=_special_files)


def submit(folder: Path, exchange: Path) -> str:
    """Hand in a lab's folder through the exchange; the assignment is the folder's name. Returns the time of the submission.

    Raises ExchangeProblem.
    """
    _require_notebooks(folder)
    config = Config({"CourseDirectory": {"course_id": COURSE_ID, "assignment_id": folder.name}})
    config.Exchange.root, config.Exchange.cache = str(exchange), str(exchange / "cache")
    config.ExchangeSubmit.assignment_dir = str(folder.parent)
    submission = ExchangeSubmit(coursedir=CourseDirectory(config=config), authenticator=Authenticator(config=config), config=config)
    _start(submission, f"handing in {folder.name} through {exchange}")
    return submission.timestamp


def pack(folder: Path, target: Path) -> Path:
    """Hand in as a zip file instead: the notebooks and the time, for whatever upload the class uses. Raises ExchangeProblem."""
    notebooks = _require_notebooks(folder)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for notebook in notebooks:
            archive.write(notebook, f"{folder.name}/{notebook.name}")
        archive.writestr(f"{folder.name}/timestamp.txt", f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC")
    return target


def default_archive(folder: Path) -> Path:
    return Path.cwd() / f"{getpass.getuser()}_{folder.name}.zip"


def collect(course: Course, assignment: str) -> list[str]:
    """Take the newest submission of every student from the exchange. Returns the students that have one now. Raises ExchangeProblem."""
    if not course.gradebook.exists():
        raise ExchangeProblem(f"nothing was published in {course.root}: type `course publish {assignment}`, or use --course")
    config = course_config.config(course)
    config.CourseDirectory.assignment_id = assignment
    config.ExchangeCollect.update = True
    _start(LinkKeepingCollect(coursedir=CourseDirectory(config=config), config=config), f"collecting {assignment} from {course.exchange}")
    return sorted(path.parent.name for path in course.submitted.glob(f"*/{assignment}"))


def collect_archives(course: Course, assignment: str, archives: Sequence[Path]) -> list[str]:
    """Take submissions from zip files named `STUDENT.zip` or `STUDENT_anything.zip`, unpacked in a box. Returns the students.

    An archive that cannot be unpacked is reported after the others were taken. Raises ExchangeProblem.
    """
    taken, problems = [], []
    for archive in archives:
        student = re.split(r"_", archive.stem, maxsplit=1)[0]
        try:
            files = _unpack(archive)
        except ExchangeProblem as problem:
            problems.append(str(problem))
            continue
        target = course.submitted / student / assignment
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name, data in files.items():
            (target / name).write_bytes(data)
        taken.append(student)
    if problems:
        raise ExchangeProblem(f"took {len(taken)} of {len(archives)} archives; not these: " + "; ".join(problems))
    return sorted(taken)


def _unpack(archive: Path) -> dict[str, bytes]:
    try:
        status = os.lstat(archive)
    except OSError as error:
        raise ExchangeProblem(f"{archive}: {error.strerror}") from None
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_ARCHIVE:
        raise ExchangeProblem(f"{archive.name} is not a regular file of at most {MAX_ARCHIVE >> 20} MB")
    ended = boxes.run(UNPACKER, [wire.encode("archive", {"archive.zip": archive.read_bytes()})], boxes.limits_for_checker())
    if refused := next((frame.header.get("reason") for frame in ended.frames if frame.kind == "refused"), None):
        raise ExchangeProblem(f"{archive.name}: {refused}")
    if ended.ended != "finished":
        raise ExchangeProblem(f"{archive.name} could not be unpacked within the limits ({ended.ended})")
    files = [(PurePosixPath(frame.header["path"]), frame.blobs["data"]) for frame in ended.frames if frame.kind == "file"]
    wanted = [(path.name, data) for path, data in files if _is_handed_in(path)]
    if len({name for name, _ in wanted}) < len(wanted):
        raise ExchangeProblem(f"{archive.name}: two files in it have the same name; it must hold the folder of one lab only")
    if not any(name.endswith(".ipynb") for name, _ in wanted):
        raise ExchangeProblem(f"{archive.name}: it holds no notebook")
    return dict(wanted)


def _is_handed_in(path: PurePosixPath) -> bool:
    """Notebooks and the time; nothing hidden, and not what macOS adds to its archives."""
    is_visible = not any(part.startswith(".") or part == "__MACOSX" for part in path.parts)
    return is_visible and (path.suffix == ".ipynb" or path.name == "timestamp.txt")


def _require_notebooks(folder: Path) -> list[Path]:
    notebooks = sorted(path for path in folder.glob("*.ipynb") if path.is_file())
    if not notebooks:
        raise ExchangeProblem(f"{folder} holds no notebook: name the folder of the lab, for example day-50")
    return notebooks


def _start(exchange, doing: str) -> None:
    try:
        exchange.start()
    except ExchangeError as error:
        raise ExchangeProblem(f"{doing} failed: {error}. Ask your instructor where the exchange is, or use --zip") from None


def _special_files(folder: str, names: list[str]) -> set[str]:
    modes = {name: os.lstat(os.path.join(folder, name)).st_mode for name in names}
    return {name for name, mode in modes.items() if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))}
