"""Files that do something when they are opened, made harmless: all they do is create an empty file."""

from __future__ import annotations

import zipfile
from pathlib import Path


class Marker:
    """A pickle of this object is a program: opening it creates the file `path`, and nothing else."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return open, (str(self.path), "w")

    def ran(self) -> bool:
        """Whether the file was created since the last question; it is removed."""
        found = self.path.exists()
        self.path.unlink(missing_ok=True)
        return found


def replace_member(source: Path, target: Path, suffix: str, data: bytes) -> None:
    """Copy the zip archive `source` to `target` with other bytes in the one member whose name ends
    in `suffix`.

    Raises ValueError unless there is exactly one.
    """
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        chosen = [info.filename for info in old.infolist() if info.filename.endswith(suffix)]
        if len(chosen) != 1:
            raise ValueError(f"{source.name} has {len(chosen)} members that end in {suffix!r}")
        for info in old.infolist():
            new.writestr(info, data if info.filename == chosen[0] else old.read(info))
