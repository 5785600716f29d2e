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

import json
import re
from dataclasses import dataclass
from pathlib import Path

from traitlets.config import Config

from nbjudge import boxes, typed
from nbjudge.course.trial import Tried, try_course
from nbjudge.grading import CONFIG
from nbjudge.grading.config import settings
from nbjudge.grading.config.folders import write_private

LINES = (
    "from nbjudge.course.nbgrader_hooks import install as _sandbox  # both lines: `course adopt`",
    "_sandbox(get_config())  # what students hand in runs in a sandbox",
)
# What `course publish` writes into a course folder of its own does the same.
_OURS = "nbjudge.course.nbgrader_hooks"
JSON = "nbgrader_config.json"
_EXPORTER = "exporter_class"
_HOOK = "pre_convert_hook"


@dataclass(frozen=True)
class _Lock:
    """A setting by which nbgrader grades nothing without the two lines."""

    section: str
    name: str
    value: str

    @property
    def setting(self) -> str:
        return f'"{self.name}": "{self.value}"'

    @property
    def inserted(self) -> tuple[str, ...]:
        """What stands in a file of the course's own, with what separates it from what follows."""
        whole = f'"{self.section}": {{{self.setting}}}'
        # The blank tells a section that was there, and empty, from one of our own.
        return f"{whole}, ", whole, f"{self.setting}, ", f"{self.setting} "

    def is_free(self, own: Config) -> bool:
        """Whether the course sets nothing that the lock would take the place of: of both files JSON
        counts, and of a class and its parent the class.
        """
        sections = {self.section, "BaseConverter"} if self.name == _EXPORTER else {self.section}
        named = [own.get(section, {}).get(self.name) for section in sections]
        return all(name is None or name == self.value for name in named)


# The first that is free. A hook of nbgrader's parent class leaves one of the class alone.
_LOCKS = (
    _Lock("Autograde", _EXPORTER, f"{_OURS}.OnlyInTheSandbox"),
    _Lock("Autograde", _HOOK, f"{_OURS}.only_in_the_sandbox"),
    _Lock("BaseConverter", _HOOK, f"{_OURS}.only_in_the_sandbox"),
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
    beside = (root / JSON).resolve()
    setting = _text(beside)
    with_setting = _with_setting(beside, _without_setting(setting), _lock_for(own))
    if _OURS.encode() in (before or b""):
        tried = try_course(root)
        if tried.is_ours:
            if tried.problem:
                raise AdoptRefused(_not_boxed(root, tried))
            if _has_lines(before):
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
    beside = (root / JSON).resolve()
    left = _without_lines(before)
    setting = _text(beside)
    without_setting = _without_setting(setting)
    is_new = left != before or without_setting != setting
    if left != before:
        _put_back(path, left or None)
    _put_back(beside, without_setting)
    if _OURS.encode() in left and try_course(root).is_ours:
        raise AdoptRefused(
            f"what grades in the sandbox in {path} was not written by `course adopt`: take out the lines that name {_OURS} yourself"
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


def _has_lines(text: bytes | None) -> bool:
    return text is not None and _without_lines(text) != text


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


def _lock_for(own: Config) -> _Lock:
    """Raises AdoptRefused where the course has both a writer of its own and a hook for everything."""
    free = next((lock for lock in _LOCKS if lock.is_free(own)), None)
    if free is None:
        raise AdoptRefused(
            f"nothing was changed, because {CONFIG} sets both c.Autograde.{_EXPORTER} and c.BaseConverter.{_HOOK}, and one of them is needed "
            f"to stop nbgrader where the two lines fail: write the hook as c.Autograde.{_HOOK}, and type `course adopt` again"
        )
    return free


def _with_setting(path: Path, text: bytes | None, lock: _Lock = _LOCKS[0]) -> bytes:
    """The JSON file with our setting; what stands there stays as it is. Raises AdoptRefused."""
    first, alone, before_others, only = lock.inserted
    if text is None:
        return f"{{{alone}}}\n".encode()
    there = json.loads(text)
    section = there.get(lock.section)
    if section and section.get(lock.name) == lock.value:
        return text
    if section is None:
        opening = r"\{"
        own = first if there else alone
    else:
        opening = rf'"{lock.section}"\s*:\s*\{{'
        own = before_others if section else only
    written = re.sub(opening, lambda found: found[0] + own, text.decode(), count=1)
    expected = {**there, lock.section: {**(section or {}), lock.name: lock.value}}
    if json.loads(written) != expected:
        raise AdoptRefused(
            f"nothing was changed, because {path} is unusual: put {lock.setting} into its {lock.section!r}, and type `course adopt` again"
        )
    return written.encode()


def _without_setting(text: bytes | None) -> bytes | None:
    """None where nothing else stood in the file."""
    if text is None or _OURS.encode() not in text:
        return text
    left = text.decode()
    for forms in zip(*(lock.inserted for lock in _LOCKS), strict=True):
        for own in forms:
            left = left.replace(own, "", 1)
    return None if left.strip() == "{}" else left.encode()


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
