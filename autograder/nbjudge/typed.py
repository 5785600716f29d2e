"""Commands that messages tell people to type, as a shell takes them: names with blanks in quotes."""

from __future__ import annotations

import shlex
from pathlib import Path

# Set by `course check`: what to do next is then typed, and not written into a cell.
TYPED = "NBJUDGE_TYPED"


def command(*words: object) -> str:
    """A command of `course`: `command("release", "day-50")`."""
    return shlex.join(["course", *map(str, words)])


def release_of(lab: Path, *options: object) -> str:
    """What writes a lab's references again, for those who author it: where `lab` lies in the
    checkout that it is released from. Empty for everybody else, who has no use for it.
    """
    lab = lab.resolve()
    authored = lab.parent.parent / "solutions" / lab.name
    is_released_here = lab.parent.name == "labs" and authored.is_dir()
    return command("release", *options, lab.name) if is_released_here else ""
