"""The setting by which nbgrader grades nothing where what puts the sandbox in its place fails.

nbgrader only prints an error where `nbgrader_config.py` cannot be read, or names a package that is
missing, and goes on with its own classes. `nbgrader_config.json` is read all the same: a class that it
names must be there, and grades in the sandbox alone.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from traitlets.config import Config

from nbjudge.grading import CONFIG

JSON = "nbgrader_config.json"
HOOKS = "nbjudge.course.nbgrader_hooks"
_EXPORTER = "exporter_class"
_HOOK = "pre_convert_hook"


@dataclass(frozen=True)
class Lock:
    """A setting by which nbgrader grades nothing without the sandbox."""

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
    Lock("Autograde", _EXPORTER, f"{HOOKS}.OnlyInTheSandbox"),
    Lock("Autograde", _HOOK, f"{HOOKS}.only_in_the_sandbox"),
    Lock("BaseConverter", _HOOK, f"{HOOKS}.only_in_the_sandbox"),
)


class NoneFree(RuntimeError):
    """The course's own settings leave no room for ours. The text says why, and what to do."""


def lock_for(own: Config) -> Lock:
    """Raises NoneFree where the course has both a writer of its own and a hook for everything."""
    free = next((lock for lock in _LOCKS if lock.is_free(own)), None)
    if free is None:
        raise NoneFree(
            f"{CONFIG} sets both c.Autograde.{_EXPORTER} and c.BaseConverter.{_HOOK}, and one of them is needed "
            f"to stop nbgrader where the sandbox's lines fail: write the hook as c.Autograde.{_HOOK}"
        )
    return free


def with_setting(path: Path, text: bytes | None, lock: Lock = _LOCKS[0]) -> bytes:
    """The JSON file with our setting; what stands there stays as it is. Raises NoneFree."""
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
        raise NoneFree(f"{path} is unusual: put {lock.setting} into its {lock.section!r}")
    return written.encode()


def without_setting(text: bytes | None) -> bytes | None:
    """None where nothing else stood in the file."""
    if text is None or HOOKS.encode() not in text:
        return text
    left = text.decode()
    for forms in zip(*(lock.inserted for lock in _LOCKS), strict=True):
        for own in forms:
            left = left.replace(own, "", 1)
    return None if left.strip() == "{}" else left.encode()
