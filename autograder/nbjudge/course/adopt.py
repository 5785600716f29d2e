"""`course adopt`: a course of nbgrader's own goes on as it is, and what its students hand in runs in
the sandbox.

1. Two lines at the end of `nbgrader_config.py` do it. Every byte before them stays as it is, and
   `--undo` takes out these two lines and nothing else.
2. A course is adopted only where boxes hold on this machine, because afterwards nbgrader grades
   nothing without them, and only where its settings can be read before and after.
3. Adopting twice, and undoing twice, changes nothing the second time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nbjudge import boxes, typed
from nbjudge.grading import CONFIG
from nbjudge.grading.config import settings
from nbjudge.grading.config.folders import write_private

LINES = (
    "from nbjudge.course.nbgrader_hooks import install as _sandbox  # both lines: `course adopt`",
    "_sandbox(get_config())  # what students hand in runs in a sandbox",
)
# What `course publish` writes into a course folder of its own does the same.
_OURS = "nbjudge.course.nbgrader_hooks"


class AdoptRefused(RuntimeError):
    """The course cannot be adopted, or given back. The text says why, and what to do."""


@dataclass(frozen=True)
class Adopted:
    """`path` is the settings file; `is_new` is False where it was so before."""

    path: Path
    is_new: bool


def adopt(root: Path) -> Adopted:
    """Put the two lines into the settings of nbgrader's course at `root`. Raises AdoptRefused, and
    SettingsError where the settings could not be read before.
    """
    path = _settings_of(root)
    before = path.read_bytes() if path.exists() else None
    if before is not None and _OURS.encode() in before:
        return Adopted(path, is_new=False)
    settings.read(root)
    try:
        boxes.require_sandbox(root)
    except boxes.SandboxUnavailable as error:
        raise AdoptRefused(
            f"nothing was changed, because nbgrader would then grade nothing on this machine: {error}"
        ) from None
    text = before or b""
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    joint = b"" if not text or text.endswith(b"\n") else newline
    own = b"".join(line.encode() + newline for line in LINES)
    _write(path, text + joint + own)
    try:
        settings.read(root)
    except settings.SettingsError as error:
        _put_back(path, before)
        raise AdoptRefused(
            f"nothing was changed, because {path} cannot be read with the two lines at its end: {error}"
        ) from None
    return Adopted(path, is_new=True)


def give_back(root: Path) -> Adopted:
    """Take the two lines out again; nbgrader then works as it did. Raises AdoptRefused."""
    path = _settings_of(root)
    before = path.read_bytes() if path.exists() else b""
    lines = before.splitlines(keepends=True)
    own = {line.encode() for line in LINES}
    left = b"".join(line for line in lines if line.strip() not in own)
    if left != before:
        _put_back(path, left or None)
        return Adopted(path, is_new=True)
    if _OURS.encode() in before:
        raise AdoptRefused(
            f"{path} was not written by `course adopt`: take out the lines that name {_OURS} yourself"
        )
    return Adopted(path, is_new=False)


def _settings_of(root: Path) -> Path:
    """Raises AdoptRefused for a folder that is no course of nbgrader's."""
    names = [*settings.LOADERS, "gradebook.db", "source", "release", "submitted"]
    if not any((root / name).exists() for name in names):
        raise AdoptRefused(
            f"{root} is no course of nbgrader's: it holds neither {CONFIG} nor source/. Name the folder in which you type nbgrader's "
            f"commands, as in `{typed.command('adopt', 'FOLDER')}`"
        )
    return (root / CONFIG).resolve()


def _put_back(path: Path, text: bytes | None) -> None:
    if text is None:
        path.unlink()
    else:
        _write(path, text)


def _write(path: Path, text: bytes) -> None:
    """Whole or not at all, with the permissions that the file had."""
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    write_private(path, text)
    path.chmod(mode)
