"""`AGENTS.md` in a student's folder: what an AI assistant that works there is asked to do.

1. A release writes it beside the notebooks of a lab with exercises, whose checks it names. It is the
   instructor's own, `solutions/AGENTS.md`, where there is one, else the one beside `nbjudge.lab`.
2. A file of that name in the assignment's own folder is the author's, and stays as it is.
3. It belongs to the lab like `references/`: handing in passes over it.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

FILE = "AGENTS.md"


def write(released: Path, solutions: Path) -> None:
    """Put it into the folder of a released lab."""
    target = released / FILE
    if not target.exists():
        target.write_bytes(_text(solutions))


def _text(solutions: Path) -> bytes:
    own = solutions / FILE
    return own.read_bytes() if own.is_file() else _default()


def _default() -> bytes:
    return resources.files("nbjudge.lab").joinpath(FILE).read_bytes()
