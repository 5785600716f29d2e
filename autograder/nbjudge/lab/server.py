"""Start JupyterLab for a student, or for the instructor of a course folder."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from nbjudge.course import config as course_config
from nbjudge.grading import CONFIG as COURSE_SETTINGS
from nbjudge.grading.config.folders import EXCHANGE, Course, FolderError, Project, default_course_id
from nbjudge.lab.home import Copies, Home, update

START = "notebooks/00-start-here.ipynb"
CONFIG = Path(__file__).with_name("config")

STUDENT_NBGRADER = """c = get_config()  # noqa: F821
c.CourseDirectory.root = {root!r}
c.CourseDirectory.course_id = {course_id!r}
c.Exchange.root = {exchange!r}
c.Exchange.assignment_dir = {labs!r}
"""
INSTRUCTOR_NBGRADER = """c = get_config()  # noqa: F821
load_subconfig({path!r})  # noqa: F821
"""


def launch(
    home: Path | None = None, *, port: int = 8888, browser: bool = True, course: Path | None = None
) -> NoReturn:
    """Replace this process by JupyterLab.

    A student works in `home` (default: `my-course/` in the project that the working directory lies
    in), on copies of the labs and the reading notebooks; the tracked files are never touched. With
    `course`, it is the instructor's JupyterLab, from any working directory: formgrader on that course
    folder, and the project's own files if there is a project. JupyterLab's access token is random
    unless the environment variable JUPYTER_TOKEN names one.

    Raises FolderError for a student outside a project, and for an instructor who has neither a
    project nor a course folder there, and ModuleNotFoundError where JupyterLab or nbgrader is not
    installed, before anything is made.
    """
    _require_installed("jupyterlab", "nbgrader")
    place, root, settings, first = (
        _for_student(Project.find(), home) if course is None else _for_instructor(course)
    )
    place.config.mkdir(parents=True, exist_ok=True)
    (place.config / "nbgrader_config.py").write_text(settings)
    arguments = [
        f"--ServerApp.root_dir={root}",
        f"--ServerApp.extra_static_paths={_static(place)}",
        f"--ServerApp.port={port}",
    ]
    arguments += [f"--LabApp.default_url=/lab/tree/{first}"] if first else []
    arguments += [] if browser else ["--no-browser"]
    arguments += ["--allow-root"] if os.name == "posix" and os.geteuid() == 0 else []
    os.chdir(root)
    _become_jupyterlab(arguments, environment(place, "instructor" if course else "student"))


def _require_installed(*names: str) -> None:
    for name in names:
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _static(place: Home) -> Path:
    """The folder that JupyterLab serves beside its own files, with what installed packages put
    there (such as Netron). What one of them cannot put there is said, and missing.
    """
    static = place.private / "static"
    for entry in metadata.entry_points(group="nbjudge.lab"):
        try:
            entry.load()(static)
        except RuntimeError as problem:
            print(f"Without {entry.name}: {problem}", flush=True)
    return static


def _become_jupyterlab(arguments: list[str], variables: dict[str, str]) -> NoReturn:
    # -P, because it works in the student's folder, where a file `random.py` would be imported.
    command = [sys.executable, "-P", "-m", "jupyterlab", *arguments]
    if os.name == "nt":  # there, execve gives the prompt back while the server still runs
        raise SystemExit(subprocess.run(command, env=variables, check=False).returncode)
    os.execve(sys.executable, command, variables)


def _for_student(project: Project, home: Path | None) -> tuple[Home, Path, str, str]:
    """The place of JupyterLab's own files, the folder that it shows, nbgrader's settings, and the
    page that opens: the first one, while it is new.
    """
    place = Home((home or project.root / "my-course").resolve())
    copies = update(place, project.root)
    report(copies, place)
    # What whoever starts it says; else that of the class whose folder lies beside the labs.
    told = os.environ.get(EXCHANGE)
    exchange = Path(told).resolve() if told else Course.at(project.root / "course-data").exchange
    first = START if START in copies.fresh else ""
    return place, place.root, student_settings(place, exchange), first


def _for_instructor(course: Path) -> tuple[Home, Path, str, str]:
    from nbjudge.course.transfer import require_agreement  # all of nbgrader

    folder = Course.at(course)
    require_agreement(folder)
    project = project_of(folder)
    folder.exchange.mkdir(parents=True, exist_ok=True)
    settings = INSTRUCTOR_NBGRADER.format(path=str(course_config.write(folder, project)))
    root = common_root(project.root, folder.root) if project else folder.root
    return Home(folder.root), root, settings, ""


def project_of(course: Course) -> Project | None:
    """The project that the working directory lies in, or else the course folder; None for a course
    folder that lies in none. Raises FolderError where there is neither.
    """
    for start in (Path.cwd(), course.root):
        with contextlib.suppress(FolderError):
            return Project.find(start)
    if (course.root / COURSE_SETTINGS).exists() or course.gradebook.exists():
        return None
    raise FolderError(
        f"{course.root} is no course folder, because nothing was published into it: name yours with --course, "
        "or go to the folder that holds labs/, and type the command again"
    )


def common_root(project: Path, course: Path) -> Path:
    """What the instructor's file browser shows: the folder that holds both, unless that is as wide
    as a home or the whole disk.

    Then it is the course folder: formgrader needs that one.
    """
    both = Path(os.path.commonpath([project, course]))
    is_wide = len(both.parts) <= 2 or Path.home().is_relative_to(both)
    return course if is_wide else both


def student_settings(home: Home, exchange: Path) -> str:
    """nbgrader's configuration for a student. The exchange is made here: nbgrader's own default is
    a system folder that nobody makes.
    """
    exchange.mkdir(parents=True, exist_ok=True)
    return STUDENT_NBGRADER.format(
        root=str(home.root),
        course_id=default_course_id(),
        exchange=str(exchange),
        labs=str(home.root / "labs"),
    )


def environment(home: Home, role: str) -> dict[str, str]:
    """The server's environment variables: the user's, less what leads to another Jupyter set-up or
    to other kernels than this Python's.
    """
    variables = {
        name: value
        for name, value in os.environ.items()
        if name not in {"JUPYTER_PATH", "PYTHONPATH"}
    }
    return variables | {
        "JUPYTER_CONFIG_DIR": str(home.config),
        "JUPYTER_CONFIG_PATH": str(CONFIG / role),
        "JUPYTER_DATA_DIR": str(home.data),
        "JUPYTER_RUNTIME_DIR": str(home.private / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home.private / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home.private / "workspaces"),
        "IPYTHONDIR": str(home.private / "ipython"),
        "JUPYTER_PREFER_ENV_PATH": "1",
        # nbgrader starts alembic by name.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "OMP_NUM_THREADS": "1",
    }


def report(copies: Copies, home: Home) -> None:
    """Say on the terminal what the student finds, and what a newer release did not touch."""
    kept = len(copies.yours) + len(copies.outdated)
    print(
        f"Your course is in {home.root}: {len(copies.fresh)} files copied, {kept} of yours kept as they are.",
        flush=True,
    )
    for name in copies.outdated:
        print(
            f"  {name}: yours is kept; the release has a newer one. To get it, rename yours and start again.",
            flush=True,
        )
