"""`course adopt`: a course of nbgrader's own goes on as it is, and what its students hand in runs in
the sandbox.

1. Two lines at the end of `nbgrader_config.py` do it. Every byte before them stays as it is, and
   `--undo` takes out these two lines and nothing else.
2. nbgrader goes on with its own classes where a settings file fails before these lines, or the
   package that they name is missing. So one setting in `nbgrader_config.json` names a class that
   writes notebooks in the sandbox alone: without the lines nbgrader then grades nothing. A course
   that writes notebooks by a class of its own has a hook there that does the same.
3. Whether a course is graded in the sandbox is found out by starting nbgrader in it (`trial`), never
   by what its settings say. Where something gets out, nothing is changed.
4. Adopting twice, and undoing twice, changes nothing the second time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nbjudge import boxes, typed
from nbjudge.course import fail_closed
from nbjudge.course.fail_closed import HOOKS
from nbjudge.course.trial import Tried, try_course
from nbjudge.grading import CONFIG
from nbjudge.grading.config import settings
from nbjudge.grading.config.folders import write_private

LINES = (
    "from nbjudge.course.nbgrader_hooks import install as _sandbox  # both lines: `course adopt`",
    "_sandbox(get_config())  # what students hand in runs in a sandbox",
)


class AdoptRefused(RuntimeError):
    """The course cannot be adopted, or given back. The text says why, and what to do."""


@dataclass(frozen=True)
class Adopted:
    """`path` is the settings file; `is_new` is False where it was so before. `tried` is what was
    tried, None where nothing had to be.
    """

    path: Path
    is_new: bool
    tried: Tried | None = None


def adopt(root: Path) -> Adopted:
    """Put the two lines into the settings of nbgrader's course at `root`. Raises AdoptRefused, and
    SettingsError where the settings could not be read before.
    """
    path = _settings_of(root)
    before = _text(path)
    own = settings.read(root)
    try:
        boxes.require_sandbox(root)
    except boxes.SandboxUnavailable as error:
        raise AdoptRefused(
            f"nothing was changed, because nbgrader would then grade nothing on this machine: {error}"
        ) from None
    beside = (root / fail_closed.JSON).resolve()
    setting = _text(beside)
    try:
        with_setting = fail_closed.with_setting(
            beside, fail_closed.without_setting(setting), fail_closed.lock_for(own)
        )
    except fail_closed.NoneFree as problem:
        raise AdoptRefused(
            f"nothing was changed, because {problem}, and type `course adopt` again"
        ) from None
    if HOOKS.encode() in (before or b""):
        tried = try_course(root)
        if tried.is_ours:
            if tried.problem:
                raise AdoptRefused(_not_boxed(root, tried))
            _put_back(beside, with_setting)
            return Adopted(path, is_new=False, tried=tried)
    _write(path, _with_lines(before))
    _put_back(beside, with_setting)
    try:
        settings.read(root)
        tried = try_course(root)
        if tried.problem:
            raise AdoptRefused(_not_boxed(root, tried))
    except (AdoptRefused, settings.SettingsError) as error:
        _put_back(path, before)
        _put_back(beside, setting)
        if isinstance(error, AdoptRefused):
            raise
        raise AdoptRefused(
            f"nothing was changed, because {path} cannot be read with the two lines at its end: {error}"
        ) from None
    return Adopted(path, is_new=True, tried=tried)


def _not_boxed(root: Path, tried: Tried) -> str:
    why = (
        ""
        if tried.is_ours
        else f". Another settings file, or a line of {CONFIG}, puts that in the place of the sandbox's: take it out "
        f"(`nbgrader autograde --debug` in {root} names the files that nbgrader reads)"
    )
    return (
        f"nothing was changed, because students' code would run outside the sandbox, under your account: {tried.problem}{why}. "
        "Then type `course adopt` again"
    )


def give_back(root: Path) -> Adopted:
    """Take the two lines out again; nbgrader then works as it did. Raises AdoptRefused."""
    path = _settings_of(root)
    before = _text(path) or b""
    beside = (root / fail_closed.JSON).resolve()
    left = _without_lines(before)
    setting = _text(beside)
    without_setting = fail_closed.without_setting(setting)
    is_new = left != before or without_setting != setting
    if left != before:
        _put_back(path, left or None)
    _put_back(beside, without_setting)
    if HOOKS.encode() in left and try_course(root).is_ours:
        _put_back(beside, setting)
        raise AdoptRefused(
            f"what grades in the sandbox in {path} was not written by `course adopt`: take out the lines that name {HOOKS} yourself"
        )
    return Adopted(path, is_new=is_new)


def _settings_of(root: Path) -> Path:
    """Raises AdoptRefused for a folder that is no course of nbgrader's."""
    names = [*settings.LOADERS, "gradebook.db", "source", "release", "submitted"]
    if not any((root / name).exists() for name in names):
        raise AdoptRefused(
            f"{root} is no course of nbgrader's: it holds neither {CONFIG} nor source/. Name the folder in which you type nbgrader's "
            f"commands, as in `{typed.command('adopt', 'FOLDER')}`"
        )
    return (root / CONFIG).resolve()


def _without_lines(text: bytes) -> bytes:
    """Lines that stand further in belong to an `if` of somebody's, and stay."""
    own = {line.encode() for line in LINES}
    return b"".join(line for line in text.splitlines(keepends=True) if line.rstrip() not in own)


def _with_lines(text: bytes | None) -> bytes:
    """The two lines come last: whatever stands behind them would be said after them."""
    left = _without_lines(text or b"")
    newline = b"\r\n" if b"\r\n" in left else b"\n"
    joint = b"" if not left or left.endswith(b"\n") else newline
    return left + joint + b"".join(line.encode() + newline for line in LINES)


def _text(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _put_back(path: Path, text: bytes | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
    elif text != _text(path):
        _write(path, text)


def _write(path: Path, text: bytes) -> None:
    """Whole or not at all, with the permissions that the file had."""
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    write_private(path, text)
    path.chmod(mode)
