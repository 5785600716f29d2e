"""A student's course home: working copies of the labs and of the reading notebooks, which no later
release ever overwrites.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat.sign import NotebookNotary

from nbjudge.course import assistants

FOLDERS = ("labs", "notebooks")


@dataclass(frozen=True)
class Home:
    """`root` is what JupyterLab shows. What belongs to Jupyter and to us lies in `root`/.course,
    which it hides.
    """

    root: Path

    @property
    def private(self) -> Path:
        return self.root / ".course"

    @property
    def config(self) -> Path:
        return self.private / "config"

    @property
    def data(self) -> Path:
        return self.private / "data"


@dataclass
class Copies:
    """What `update` did, as paths below the home."""

    fresh: list[str] = field(default_factory=list)  # copied now
    yours: list[str] = field(default_factory=list)  # edited, and the release has nothing newer
    # Edited, so kept, although the release has a newer one.
    outdated: list[str] = field(default_factory=list)


def update(home: Home, project: Path) -> Copies:
    """Bring the copies in `home` up to the release in `project`:

    1. a file that is not there is copied;
    2. a file that nobody edited since it was copied is replaced by a newer one;
    3. every other file is the student's and stays as it is, also if we never copied it.

    Notebooks that are copied are signed, so that JupyterLab shows their stored drawings.
    """
    record = home.private / "copied.json"
    copied = _copied(record)
    notary = NotebookNotary(data_dir=str(_made(home.data)))
    copies = Copies()
    for name, source in _released(project):
        target = home.root / name
        released = _hash(source)
        present = _digest(target)
        if present == released:
            copied[name] = released
        elif present is None or present == copied.get(name):
            _copy(source, target)
            copied[name] = released
            copies.fresh.append(name)
            if target.suffix == ".ipynb":
                _sign(notary, target)
        else:
            (copies.yours if copied.get(name) == released else copies.outdated).append(name)
    _write(record, json.dumps(copied, indent=1, sort_keys=True).encode())
    return copies


def _sign(notary: NotebookNotary, path: Path) -> None:
    """A damaged notebook stays unsigned: JupyterLab says what is wrong with it when it is opened."""
    with contextlib.suppress(Exception):  # one of a dozen, by what is wrong with it
        notary.sign(nbformat.read(path, as_version=4))


def _copied(record: Path) -> dict[str, str]:
    """What was copied, as hashes by name. A damaged record counts as none: then every file that is
    there is the student's and stays.
    """
    try:
        copied = json.loads(record.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return copied if isinstance(copied, dict) else {}


def _released(project: Path) -> Iterator[tuple[str, Path]]:
    for folder in FOLDERS:
        for source in sorted((project / folder).rglob("*")):
            hidden = any(part.startswith((".", "__")) for part in source.relative_to(project).parts)
            # The linter keeps settings beside the notebooks.
            if source.is_file() and not hidden and source.suffix != ".toml":
                yield source.relative_to(project).as_posix(), source
    # An assistant that is started in the home reads it there.
    if released := sorted((project / "labs").glob(f"*/{assistants.FILE}")):
        yield assistants.FILE, released[0]


def _digest(path: Path) -> str | None:
    return _hash(path) if path.exists() else None


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _copy(source: Path, target: Path) -> None:
    _made(target.parent)
    temporary = target.with_name(f".{target.name}.new")
    shutil.copyfile(source, temporary)
    os.replace(temporary, target)


def _write(path: Path, data: bytes) -> None:
    temporary = _made(path.parent) / f".{path.name}.new"
    temporary.write_bytes(data)
    os.replace(temporary, path)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
