"""The kernel's home and working directory: fresh for every kernel; in plain mode, files go in and
what the notebook wrote comes out.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from nbjudge.boxes import mounts

HOME = Path(mounts.SCRATCH, "home")
WORK = Path(mounts.SCRATCH, "work")
MAX_FILES = 1000
MAX_BYTES = 64 << 20
_MAX_DEPTH = 16


def clear() -> bool:
    """Empty every folder of the box that can be written, and undo what was done to the folders
    themselves. False when something stays.

    Every other process of the box must have ended.
    """
    for folder in mounts.WRITABLE:
        found = [entry.path for entry in os.scandir(folder)]
        if found:
            _remove(*found)
        for name in _own_attributes(folder):
            os.removexattr(folder, name)
        if os.stat(folder).st_uid == os.getuid():
            os.chmod(folder, 0o1777)
            os.utime(folder, (0, 0))
    return not any(os.listdir(folder) or _own_attributes(folder) for folder in mounts.WRITABLE)


def _own_attributes(folder: str) -> list[str]:
    """Extended attributes that an ordinary process can set: they hold text."""
    return [name for name in os.listxattr(folder) if name.startswith(("user.", "system.posix_acl"))]


def _remove(*paths: str | Path) -> None:
    # rm, because it copes with folders nested deeper than Python's own recursion.
    subprocess.run(
        ["rm", "-rf", "--", *paths],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


def _is_left_out(path: str) -> bool:
    return path.lower().endswith(".ipynb") or os.path.basename(path) == "timestamp.txt"


class WorkDir:
    """`files` are put into the working directory, by relative path. Raises ValueError for a path
    that leaves it.
    """

    def __init__(self, files: Mapping[str, bytes]):
        self._files = {_relative(path): data for path, data in files.items()}
        self._placed: dict[str, tuple] = {}

    def renew(self) -> None:
        """Empty everything that student code could have written, and put the files back."""
        _remove(HOME, WORK)
        for folder in (HOME, WORK):
            folder.mkdir(mode=0o700, exist_ok=True)
        for path, data in self._files.items():
            target = WORK / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        self._placed = dict(_walk(WORK))

    def written(self) -> Iterator[tuple[str, bytes]]:
        """Regular files that are new or changed, notebooks and `timestamp.txt` left out, until the
        caps on count and bytes are met.

        Every other process of the box must have ended.
        """
        left = MAX_BYTES
        count = 0
        for path, status in _walk(WORK):
            if self._placed.get(path) == status or _is_left_out(path):
                continue
            data = _read(WORK / path, left)
            if data is not None and count < MAX_FILES:
                left = left - len(data)
                count = count + 1
                yield path, data


def _relative(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or "\0" in path or parts[0] == "/" or ".." in parts or len(path) > 1000:
        raise ValueError(f"not a path inside the working directory: {path!r}")
    return str(PurePosixPath(*parts))


def _walk(root: Path) -> Iterator[tuple[str, tuple]]:
    """Relative path and identity of every regular file, links not followed, names that are no text
    left out.
    """
    for folder, names, files in os.walk(root):
        inside = os.path.relpath(folder, root)
        if inside.count("/") >= _MAX_DEPTH:
            names.clear()
        for name in sorted(files):
            status = os.lstat(os.path.join(folder, name))
            path = os.path.normpath(os.path.join(inside, name))
            if stat.S_ISREG(status.st_mode) and path.isprintable():
                yield path, (status.st_ino, status.st_size, status.st_mtime_ns)


def _read(path: Path, limit: int) -> bytes | None:
    try:
        with open(path, "rb") as file:
            data = file.read(limit + 1)
    except OSError:
        return None
    return data if len(data) <= limit else None
