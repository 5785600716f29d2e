"""nbgrader's commands in other folders than an adopted course's, where its two lines are not read.

1. `course adopt` puts a few lines at the head of a settings file of the environment, or of the
   account where that cannot be written. nbgrader reads that file first, whatever folder it is
   started in, and takes the folder's own settings and modules only afterwards.
2. `nbgrader validate` runs the notebook in a box. Where it is typed in no adopted course, it reads
   no settings there and imports nothing from there, because the folder may be a student's.
3. In a folder inside an adopted course no command reads settings, and `nbgrader autograde` grades
   nothing. Other courses of the environment stay nbgrader's own.
4. This holds for the account that the file belongs to: students who share the environment go on as
   before.
5. Whether it holds is tried, in a folder with hostile settings, modules and a hostile notebook.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import nbformat
from jupyter_core import paths
from nbgrader.apps.validateapp import ValidateApp
from traitlets.config import Config, ConfigFileNotFound, JSONFileConfigLoader, PyFileConfigLoader
from traitlets.config.application import Application

from nbjudge import _replaced
from nbjudge.course import probing
from nbjudge.course.nbgrader_hooks import BoxedValidator, OnlyInTheSandbox, log_plainly
from nbjudge.grading import CONFIG
from nbjudge.grading.config.folders import write_private

SECONDS = 300
_BEGIN = "# `course adopt` begins: what students hand in runs in a sandbox in other folders, too"
_END = "# `course adopt` ends"
# nbgrader has put the folder at the head of `sys.path` by now, and what lies there may be a student's.
_LINES = f"""{_BEGIN}
import os as _os, sys as _sys
if _os.stat(__file__).st_uid == _os.geteuid():
    _path = list(_sys.path)
    _sys.path[:] = [_each for _each in _path if _each not in ("", _os.getcwd())]
    try:
        from nbjudge.course.elsewhere import hold as _hold
    except Exception:
        if _sys.argv[1:2] == ["validate"] and _sys.prefix == {{prefix!r}}:
            raise SystemExit(
                "Nothing is run: nbjudge, which runs notebooks in a sandbox, cannot be imported. Install it, or delete these lines: "
                + __file__
            ) from None
        _sys.path[:] = _path
    else:
        _hold(get_config(), _path, {{courses!r}})
{_END}
"""
_BLOCK = re.compile(rf"{re.escape(_BEGIN)}\n.*?{re.escape(_END)}\n", re.DOTALL)
_COURSES = re.compile(r"^ +_hold\(get_config\(\), _path, (\[.*\])\)$", re.MULTILINE)


def hold(config: Config, path: Sequence[str], courses: Sequence[str]) -> None:
    """What the lines do while nbgrader reads them. `path` is what `sys.path` was, `courses` are the
    folders of the courses that were adopted.
    """
    here = os.getcwd()
    validates = Application.initialized() and isinstance(Application.instance(), ValidateApp)
    _replaced.in_nbgrader_validate(BoxedValidator)
    log_plainly()
    is_inside = any(Path(here).is_relative_to(course) for course in courses)
    if here in courses or not (validates or is_inside):
        sys.path[:] = path
        return
    _replaced.in_nbgrader_settings(
        python=_leaving_out(here, PyFileConfigLoader), json=_leaving_out(here, JSONFileConfigLoader)
    )
    config.Autograde.exporter_class = OnlyInTheSandbox


def _leaving_out(folder: str, kind: type) -> type:
    """A reader of settings files that takes none out of a folder."""

    class Elsewhere(kind):
        def load_config(self):
            file = Path(self.path or folder, self.filename)
            if os.path.realpath(file.parent) != folder:
                return super().load_config()
            if os.path.lexists(file) and self.log:
                self.log.warning("%s was not read: it lies in no course that was adopted", file)
            raise ConfigFileNotFound(f"{file} was not read")

    return Elsewhere


def adopt(course: Path) -> str:
    """Write the lines, with the course among those that were adopted, and try them. Returns what holds,
    in words.
    """
    for place in _places():
        try:
            _write(place, [*_adopted(place), _named(course)])
        except OSError:
            continue
        if problem := _tried():
            return (
                f"`nbgrader validate` in another folder, for example a student's, {problem}, although {place} should keep it from that. "
                f"Type it in {course} alone"
            )
        return f"`nbgrader validate` runs in the sandbox in every folder, by {place}"
    return f"`nbgrader validate` in another folder, for example a student's, runs under your account, because {place} cannot be written"


def give_back(course: Path) -> None:
    """Take the course out of the lines; with the last one they go."""
    for place in _places():
        courses = _adopted(place)
        if _named(course) in courses:
            _write(place, [each for each in courses if each != _named(course)])


def _places() -> list[Path]:
    """Where nbgrader reads settings whatever folder it is started in. Who names a folder for settings
    in the environment has them there.
    """
    folders = [paths.jupyter_config_dir(), *paths.ENV_CONFIG_PATH]
    if "JUPYTER_CONFIG_DIR" not in os.environ:
        folders.reverse()
    return [Path(folder, CONFIG) for folder in folders]


def _named(course: Path) -> str:
    return os.path.realpath(course)


def _adopted(place: Path) -> list[str]:
    """The courses in the lines that are still there."""
    text = place.read_text() if place.exists() else ""
    found = _COURSES.search(text)
    named = ast.literal_eval(found[1]) if found else []
    return [each for each in named if Path(each).is_dir()]


def _write(place: Path, courses: Sequence[str]) -> None:
    """The lines come first: whatever fails before them would keep them from being read."""
    before = place.read_text() if place.exists() else ""
    own = _LINES.format(prefix=sys.prefix, courses=list(dict.fromkeys(courses))) if courses else ""
    text = own + _BLOCK.sub("", before)
    if not text:
        place.unlink(missing_ok=True)
    elif text != before:
        place.parent.mkdir(parents=True, exist_ok=True)
        mode = place.stat().st_mode & 0o777 if place.exists() else 0o644
        write_private(place, text.encode())
        place.chmod(mode)


def _tried() -> str | None:
    """What `nbgrader validate` does in a hostile folder that it should not."""
    with (
        tempfile.TemporaryDirectory() as outer,
        probing.probe(Path(outer)) as probe,
    ):
        folder = Path(outer, "student")
        folder.mkdir()
        traces = {}
        for name, does in (
            (CONFIG, "runs the settings that lie there"),
            ("nbjudge.py", "imports modules that lie there"),
        ):
            traces[does] = Path(outer, f"{name}.trace")
            (folder / name).write_text(f"open({str(traces[does])!r}, 'w').close()\n")
        nbformat.write(probe.notebook(), folder / "probe.ipynb")
        command = [sys.executable, "-P", "-m", "nbgrader", "validate", "probe.ipynb"]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return f"did not end within {SECONDS} s"
        for does, trace in traces.items():
            if trace.exists():
                return does
        out = probe.got_out(done.stdout)
        return f"runs the notebook under your account: a probe {out}" if out else None
