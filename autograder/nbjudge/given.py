"""What a box with student code is given in place of the half that judges: the public cases, which
ship with the lab anyway.

Notebooks look at them: `exercises.get("inspect").public_cases()` works there as it does in
JupyterLab.
"""

from __future__ import annotations

import io
from pathlib import Path

from nbjudge import wire

# More than this is not given to look at: pretrained weights.
LARGEST = 8 << 20
_folder: Path | None = None


def arm(folder: Path) -> None:
    """From now on public cases are those in `folder`."""
    global _folder
    _folder = folder


def armed() -> bool:
    return _folder is not None


def frames(exercise_id: str) -> list[wire.Frame]:
    """The public cases of the exercise as they were written, as far as they were given."""
    if _folder is None:
        return []
    found = (
        next(wire.read(io.BytesIO(path.read_bytes()), path.stat().st_size))
        for path in sorted(_folder.glob("*.case"))
    )
    return [frame for frame in found if frame.header["exercise"] == exercise_id]
