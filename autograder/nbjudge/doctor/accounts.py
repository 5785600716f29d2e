"""Can other accounts of this machine start this environment, as those of a JupyterHub must?

A virtual environment holds no Python: its `bin/python` is a link to the one that it was made from,
whose library it reads, too. Where that one lies in somebody's home, as pyenv, uv and conda like it,
every other account fails with "Permission denied", although the environment itself can be read.
"""

from __future__ import annotations

import os
import stat
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from nbjudge.doctor.line import Line

FIX = (
    "For a JupyterHub, set the environment up again with a Python that every account can read, outside all homes, for example: "
    "type `make install PYTHON=/usr/bin/python3.12`"
)


def accounts() -> Iterator[Line]:
    """Only an environment that others can enter can disappoint them: one that lies in a home is its
    owner's.
    """
    if os.name != "posix":
        return
    own = first_closed([Path(sys.prefix), Path(sysconfig.get_path("purelib"))])
    if own is not None:
        yield Line(
            "accounts", "ok", f"this environment is yours alone, because {own} lets nobody else in"
        )
        return
    needed = [Path(sys.executable), Path(sysconfig.get_path("stdlib"))]
    if (closed := first_closed(needed)) is None:
        yield Line("accounts", "ok", f"every account of this machine can start {sys.executable}")
    else:
        detail = f"other accounts can read {sys.prefix} but not start it: its Python lies in {sys.base_prefix}, and {closed} is closed to them"
        yield Line("accounts", "warn", detail, FIX)


def first_closed(paths: list[Path]) -> Path | None:
    """The first folder or file on the way to one of the paths, through all links, that accounts
    other than its owner may not use.
    """
    return next((step for path in paths for step in _way(path) if not _is_open(step)), None)


def _way(path: Path) -> Iterator[Path]:
    """Every folder that has to be entered, links followed one by one, and the end."""
    place = Path(path.anchor or "/")
    parts = list(reversed(path.absolute().parts[1:]))
    links = 0
    while parts:
        step = place / parts.pop()
        if step.is_symlink() and links < 40:
            links += 1
            target = Path(os.readlink(step))
            parts += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            place = Path("/") if target.is_absolute() else place
        elif step.name == "..":
            place = place.parent
        else:
            yield step
            place = step


def _is_open(path: Path) -> bool:
    """Whether every account may enter the folder, or read and start the file."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    needed = stat.S_IXOTH if stat.S_ISDIR(mode) else stat.S_IROTH
    return bool(mode & needed)
