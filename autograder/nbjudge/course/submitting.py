"""`course submit`: hand in a lab through nbgrader's exchange, or as a zip file where a class has
none.

1. An archive holds what the exchange would take: the notebooks, and the files beside them, without
   what systems leave behind (`leftovers`), links, and archives of the lab that were made before.
2. A lab with exercises is graded by its notebooks alone, so nothing else is packed; `references/`
   and `AGENTS.md` belong to the lab, and every other file is named.
3. What will earn nothing, stays behind, or is larger than grading reads (`limits`) is told at once.
"""

from __future__ import annotations

import getpass
import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path

from traitlets.config import Config

from nbjudge import limits, typed
from nbjudge.course import assistants, manifest, roster
from nbjudge.course.identity import composed
from nbjudge.course.transfer import ExchangeProblem, start
from nbjudge.grading.config.folders import COURSE_ID, default_course_id
from nbjudge.grading.intake import notebook_names, times, untrusted
from nbjudge.grading.published import asked_exercises
from nbjudge.leftovers import is_leftover


def submit(folder: Path, exchange: Path) -> str:
    """Hand in a lab's folder through the exchange; the assignment is the folder's name. Returns the
    time of the submission.

    Raises ExchangeProblem.
    """
    # A zip file is packed without nbgrader.
    from nbgrader.auth import Authenticator
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.exchange.default import ExchangeSubmit

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
    student = composed(student)
    if target.is_dir():
        raise ExchangeProblem(
            f"{target} is a folder: name a file in it, for example --zip {target / f'NAME_{folder.name}.zip'}"
        )
    suffix = f"_{folder.name}"
    if student is None and target.stem.endswith(suffix):
        student = composed(target.stem.removesuffix(suffix))
    if student is not None and (problem := roster.problem_of(student)):
        raise ExchangeProblem(
            f"{untrusted.shown(student)!r} cannot be a student's name, it {problem}: add `--as YOUR-NAME-IN-CLASS`"
        )
    packed = _packed(folder, notebooks, target)
    _write(target, folder, packed, _manifest(folder, student, notebooks[0]))
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


def _write(target: Path, folder: Path, files: Sequence[Path], described: manifest.Manifest) -> None:
    """The archive appears whole or not at all."""
    fresh = target.with_name(f".{target.name}.new")
    try:
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
            for path in files:
                inside = composed(path.relative_to(folder).as_posix())
                archive.write(path, f"{folder.name}/{inside}")
            archive.writestr(f"{folder.name}/{manifest.FILE}", described.to_bytes())
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
    """The notebooks in a folder, those with odd names behind the others."""
    found = [
        (own.distance, path)
        for path in _listed(folder)
        if path.is_file()
        and not is_leftover(path.name)
        and (own := notebook_names.named(path.name, ()))
    ]
    return [
        path
        for distance, path in sorted(found)
        if distance < notebook_names.BEHIND or notebook_names.begins_as_notebook(path.read_bytes())
    ]


def _listed(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _beside(folder: Path) -> list[Path]:
    """The files in a folder and below that are neither its notebooks nor leftovers, as far as
    grading looks; links, too.
    """
    notebooks = set(_notebooks(folder))
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        inside = Path(place).relative_to(folder).parts
        folders[:] = sorted(
            name for name in folders if not is_leftover(name) and len(inside) < untrusted.MAX_DEPTH
        )
        found += [Path(place, name) for name in sorted(files) if not is_leftover(name)]
        if len(found) > untrusted.MAX_ENTRIES:
            break
    ours = {folder / name for name in (manifest.FILE, times.FILE)}
    return sorted(path for path in found if path not in notebooks and path not in ours)


def _packed(folder: Path, notebooks: Sequence[Path], target: Path) -> list[Path]:
    """What goes into the archive."""
    if _has_exercises(notebooks):
        return list(notebooks)
    return [*notebooks, *(path for path in _beside(folder) if _goes_along(path, folder, target))]


def _goes_along(path: Path, folder: Path, target: Path | None = None) -> bool:
    is_own = path.name.endswith(f"_{folder.name}.zip") or (
        target is not None and path.resolve() == target.resolve()
    )
    return path.is_file() and not path.is_symlink() and not is_own


def _has_exercises(notebooks: Sequence[Path]) -> bool:
    for path in notebooks:
        try:
            if asked_exercises.in_notebook(json.loads(path.read_bytes())):
                return True
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue
    return False


def doubts(folder: Path, is_packed: bool = False) -> list[str]:
    """What in a folder that is handed in will earn nothing as it is, stays behind or is too large,
    a line each.
    """
    notebooks = _notebooks(folder)
    return [
        *_ungraded(folder, notebooks),
        *_odd(folder, notebooks),
        *_staying(folder, notebooks),
        *_too_much(folder, notebooks, is_packed),
    ]


def _ungraded(folder: Path, notebooks: Sequence[Path]) -> list[str]:
    graded = {path: _is_graded(path) for path in notebooks}
    broken = [
        f"{path} is no notebook any more, and earns nothing as it is: open and save it in JupyterLab, then hand in again"
        for path, is_graded in graded.items()
        if is_graded is None
    ]
    if broken or any(graded.values()):
        return broken
    return [f"no notebook in {folder} has a cell that is graded: is that the lab's folder?"]


def _odd(folder: Path, notebooks: Sequence[Path]) -> list[str]:
    """What grading will make of names that are not the lab's own."""
    chosen = notebook_names.choose(
        [path.name for path in notebooks],
        (),
        lambda _name: True,
        lambda name: (folder / name).read_bytes(),
    )
    doubled = [
        f"{name}.ipynb {notebook_names.doubled(paths, name)}"
        for name, paths in chosen.doubled.items()
    ]
    return [*chosen.remarks, *doubled]


def _staying(folder: Path, notebooks: Sequence[Path]) -> list[str]:
    """Files that are not handed in, or that grading does not use."""
    beside = _beside(folder)
    if _has_exercises(notebooks):
        released = {"references", assistants.FILE}
        beside = [path for path in beside if path.relative_to(folder).parts[0] not in released]
        why = "a lab with exercises is graded by its notebooks alone, so put what a notebook needs into one of its cells"
        return [f"{_names(folder, beside)}: not used, because {why}"] if beside else []
    links = [path for path in beside if path.is_symlink() or not path.is_file()]
    made = [path for path in beside if path not in links and not _goes_along(path, folder)]
    said = []
    if links:
        said.append(
            f"{_names(folder, links)}: left out, because it is a link or no file: copy the file itself into the folder"
        )
    if made:
        said.append(f"{_names(folder, made)}: left out, because it is an archive of this lab")
    odd = [path for path in beside if not path.name.isprintable() or _is_long(path)]
    if odd:
        said.append(
            f"{_names(folder, odd)}: will be left out, because of its name: take letters that can be shown, and at most {limits.NAME} bytes"
        )
    return said


def _is_long(path: Path) -> bool:
    return len(path.name.encode(errors="surrogateescape")) > limits.NAME


def _too_much(folder: Path, notebooks: Sequence[Path], is_packed: bool) -> list[str]:
    """What is larger, or more, than grading reads."""
    others = [] if _has_exercises(notebooks) else _beside(folder)
    others = [path for path in others if _goes_along(path, folder)]
    sizes = {path: path.stat().st_size for path in (*notebooks, *others)}
    said = [
        f"{path.name} has {_mb(sizes[path])} MB, and grading reads at most {_mb(limits.NOTEBOOK)}: "
        "clear its outputs (Edit, Clear Outputs of All Cells), save it, and hand in again"
        for path in notebooks
        if sizes[path] > limits.NOTEBOOK
    ]
    said += [
        f"{_names(folder, [path])} has {_mb(sizes[path])} MB, and grading reads at most {_mb(limits.FILE)}: make it smaller"
        for path in others
        if sizes[path] > limits.FILE
    ]
    most = limits.ARCHIVE if is_packed else limits.SUBMISSION
    if (whole := sum(sizes.values())) > most:
        said.append(
            f"{folder} has {_mb(whole)} MB, and at most {_mb(most)} are taken: clear outputs, and move large files away, then hand in again"
        )
    if len(sizes) >= limits.FILES:
        said.append(
            f"{folder} has {len(sizes)} files, and at most {limits.FILES} are taken: move what "
            "the notebooks do not need away, then hand in again"
        )
    return said


def _mb(size: int) -> int:
    return -(-size // (1 << 20))


def _names(folder: Path, paths: Sequence[Path]) -> str:
    names = [untrusted.shown(path.relative_to(folder).as_posix()) for path in paths[:6]]
    return ", ".join(names) + (f" and {len(paths) - 6} more" if len(paths) > 6 else "")


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
        version = json.loads(notebook.read_bytes())["metadata"]["nbjudge"]["version"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return version if isinstance(version, str) else None
