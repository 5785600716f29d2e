"""A course's own exercises on a worker: their files go out with what a run shares, and lie in a
folder there while the run lasts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from nbjudge import exercises
from nbjudge.boxes import mounts

_folder: tempfile.TemporaryDirectory | None = None


def collect() -> dict[str, bytes]:
    """The files of the course's exercises that are not installed, without stored answers, by their
    paths below `exercises/`.
    """
    return {
        path.relative_to(folder.parent).as_posix(): path.read_bytes()
        for folder in exercises.own()
        for path in files_in(folder)
    }


def files_in(folder: Path) -> Iterator[Path]:
    """The files of a package, or of an exercise, sorted."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not mounts.NO_PART & set(path.parts):
            yield path


def install(files: Mapping[str, bytes]) -> None:
    """From now on the course's exercises are those in `files`. Those of the run before are gone."""
    global _folder
    before, _folder = _folder, tempfile.TemporaryDirectory(prefix="exercises-")
    for name, data in files.items():
        path = Path(_folder.name, exercises.OF_COURSE, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    exercises.use(Path(_folder.name, exercises.OF_COURSE))
    if before:
        before.cleanup()
