"""`course submit`: hand in a lab through nbgrader's exchange, or as a zip file where a class has
none.
"""

from __future__ import annotations

import getpass
import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeSubmit
from traitlets.config import Config

from autograder import typed
from autograder.course import manifest, roster
from autograder.course.transfer import ExchangeProblem, start
from autograder.grading import times, untrusted
from autograder.grading.folders import COURSE_ID, default_course_id


def submit(folder: Path, exchange: Path) -> str:
    """Hand in a lab's folder through the exchange; the assignment is the folder's name. Returns the
    time of the submission.

    Raises ExchangeProblem.
    """
    _require_notebooks(folder)
    course_id = default_course_id()
    config = Config({"CourseDirectory": {"course_id": course_id, "assignment_id": folder.name}})
    config.Exchange.root = str(exchange)
    if cache := _cache(folder):
        config.Exchange.cache = str(cache)
    config.ExchangeSubmit.assignment_dir = str(folder.parent)
    submission = ExchangeSubmit(
        coursedir=CourseDirectory(config=config),
        authenticator=Authenticator(config=config),
        config=config,
    )
    start(
        submission,
        f"handing in {folder.name} of the course {course_id} through {exchange}",
        "Ask your instructor where the exchange is, or use --zip",
    )
    return submission.timestamp


def pack(folder: Path, target: Path, student: str | None = None) -> Path:
    """Hand in as a zip file instead: the notebooks and a manifest, for whatever upload the class
    uses. Raises ExchangeProblem.

    Who it is of: `student`, else what the file's name says before `_ASSIGNMENT.zip`, else the
    archive names nobody but the login.
    """
    notebooks = _require_notebooks(folder)
    if target.is_dir():
        raise ExchangeProblem(
            f"{target} is a folder: name a file in it, for example --zip {target / f'NAME_{folder.name}.zip'}"
        )
    suffix = f"_{folder.name}"
    if student is None and target.stem.endswith(suffix):
        student = target.stem.removesuffix(suffix)
    if student is not None and (problem := roster.problem_of(student)):
        raise ExchangeProblem(
            f"{untrusted.shown(student)!r} cannot be a student's name, it {problem}: add `--as YOUR-NAME-IN-CLASS`"
        )
    _write(target, folder.name, notebooks, _manifest(folder, student, notebooks[0]))
    return target


def _manifest(folder: Path, student: str | None, notebook: Path) -> manifest.Manifest:
    course_id = default_course_id()
    return manifest.Manifest(
        assignment=folder.name,
        student=student,
        course=course_id if course_id != COURSE_ID else None,
        login=_login(),
        version=_version(notebook),
        time=times.written(times.now()),
    )


def _write(
    target: Path, name: str, notebooks: Sequence[Path], described: manifest.Manifest
) -> None:
    """The archive appears whole or not at all."""
    fresh = target.with_name(f".{target.name}.new")
    try:
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
            for notebook in notebooks:
                archive.write(notebook, f"{name}/{notebook.name}")
            archive.writestr(f"{name}/{manifest.FILE}", described.to_bytes())
        os.replace(fresh, target)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise ExchangeProblem(
            f"{target} could not be written ({error.strerror}): name another file with --zip"
        ) from None


def default_archive(folder: Path, student: str | None = None) -> Path:
    return Path.cwd() / f"{student or _login() or 'student'}_{folder.name}.zip"


def _require_notebooks(folder: Path) -> list[Path]:
    notebooks = _notebooks(folder)
    if notebooks:
        return notebooks
    if folder.is_file():
        raise ExchangeProblem(
            f"{folder} is a file, and a lab is handed in whole: type `{typed.command('submit', folder.parent)}`"
        )
    if not folder.exists():
        raise ExchangeProblem(
            f"there is no folder {folder}: name that of the lab, for example my-course/labs/day-50"
        )
    below = sorted({path.parent for path in folder.glob("*/*.ipynb")})
    labs = " or ".join(f"`{typed.command('submit', lab)}`" for lab in below[:4])
    raise ExchangeProblem(
        f"{folder} holds no notebook: {f'type {labs}' if labs else 'name the folder of the lab, for example my-course/labs/day-50'}"
    )


def _notebooks(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.ipynb") if path.is_file())


def doubts(folder: Path) -> list[str]:
    """What in a folder that is handed in will earn nothing as it is, a line each."""
    graded = {path: _is_graded(path) for path in _notebooks(folder)}
    broken = [
        f"{path} is no notebook any more, and earns nothing as it is: open and save it in JupyterLab, then hand in again"
        for path, is_graded in graded.items()
        if is_graded is None
    ]
    if broken or any(graded.values()):
        return broken
    return [f"no notebook in {folder} has a cell that is graded: is that the lab's folder?"]


def _is_graded(path: Path) -> bool | None:
    """Whether a cell of the notebook is graded; None where it cannot be read as a notebook."""
    try:
        cells = json.loads(path.read_bytes())["cells"]
        return any(cell["metadata"].get("nbgrader") for cell in cells)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _cache(folder: Path) -> Path | None:
    """Where the student's JupyterLab looks for what was handed in, to fetch its feedback; None is
    nbgrader's own place, in the home.

    It holds the secret that the feedback is named by, so it is never in the exchange, which others
    can read.
    """
    home = next(
        (parent / ".course" for parent in folder.parents if (parent / ".course" / "data").is_dir()),
        None,
    )
    return home and home / "data" / "nbgrader_cache"


def _login() -> str | None:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # by version and system, where no variable says it
        return None


def _version(notebook: Path) -> str | None:
    """The release that a student's notebook comes from, if it still says so."""
    try:
        version = json.loads(notebook.read_bytes())["metadata"]["autograder"]["version"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return version if isinstance(version, str) else None
