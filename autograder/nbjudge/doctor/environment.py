"""Python and the installed packages."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib import metadata

from packaging.requirements import Requirement
from packaging.version import Version

from nbjudge import exercises
from nbjudge.doctor.line import INSTALL, Line

LOCK = "requirements.lock"


def python() -> Iterator[Line]:
    suitable = sys.version_info >= (3, 11)
    detail = f"{platform.python_version()} at {sys.executable}"
    fix = "Install Python 3.11 or a later one, then type `make install PYTHON=python3.12` in the course's folder"
    yield (
        Line("python", "ok", detail)
        if suitable
        else Line("python", "fail", f"{detail}; the course needs 3.11 or later", fix)
    )


def packages() -> Iterator[Line]:
    """Against the lock: a direct dependency that is missing fails, another version than the locked
    one is a warning. Of ONNX Runtime, either build will do.
    """
    locked = _locked()
    missing = _missing()
    other = [
        f"{name} {_version(name)} (locked: {pin})"
        for name, pin in locked.items()
        if _version(name) not in ("", pin)
    ]
    if missing:
        yield Line("packages", "fail", f"missing: {', '.join(missing)}", INSTALL)
    if other:
        yield Line("packages", "warn", f"not the locked version: {', '.join(other)}", INSTALL)
    if not missing and not other:
        count = sum(bool(_version(name)) for name in locked)
        yield Line("packages", "ok", f"{count} installed, each at its locked version")


def _missing() -> list[str]:
    """The direct dependencies that are not installed, of every distribution of ours."""
    needed = [Requirement(text) for each in _distributions() for text in each.requires or ()]
    return sorted(
        {
            each.name
            for each in needed
            if (each.marker is None or each.marker.evaluate({"extra": ""}))
            and not any(map(_version, (each.name, each.name.removesuffix("-gpu"))))
        }
    )


def _locked() -> dict[str, str]:
    """The pins for this Python and platform, by package. Each wheel carries its lock; where two
    differ, the course's is what was tested together.
    """
    lines = [line for each in _distributions() for line in _lock(each)]
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    ours = [pin for pin in pins if pin.marker is None or pin.marker.evaluate()]
    return {pin.name: next(iter(pin.specifier)).version for pin in ours}


def _lock(distribution: metadata.Distribution) -> list[str]:
    files = [each for each in distribution.files or () if each.name == LOCK]
    return [line for each in files for line in each.read_text().splitlines()]


def _distributions() -> list[metadata.Distribution]:
    """This package's, and those that name exercises or lines of `course doctor`."""
    entries = [
        *metadata.entry_points(group="nbjudge.doctor"),
        *metadata.entry_points(group=exercises.GROUP),
    ]
    named = {entry.dist.name: entry.dist for entry in entries if entry.dist}
    return [metadata.distribution("nbjudge"), *(named[name] for name in sorted(named))]


def _version(name: str) -> str:
    """The installed version without the build (`+cpu`), or nothing."""
    try:
        return Version(metadata.version(name)).public
    except metadata.PackageNotFoundError:
        return ""
