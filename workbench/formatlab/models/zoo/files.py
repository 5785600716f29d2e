"""What lies at a path: one file, or all files of a folder, as a list with sizes."""

from __future__ import annotations

from pathlib import Path


def files(path: Path) -> list[Path]:
    """The file itself, or every file in the folder and below, in order of their names."""
    return [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())


def listing(path: Path, *patterns: str) -> str:
    """A line for each file: bytes and name. `patterns` choose among the names directly in the
    folder; without them all files are listed.
    """
    chosen = (
        [each for pattern in patterns for each in sorted(path.glob(pattern))]
        if patterns
        else files(path)
    )
    names = [each.name if each == path else each.relative_to(path).as_posix() for each in chosen]
    width = max((len(str(each.stat().st_size)) for each in chosen), default=0)
    return "\n".join(
        f"{each.stat().st_size:{width}}  {name}" for each, name in zip(chosen, names, strict=True)
    )
