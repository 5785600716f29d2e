"""Python, the installed packages, and whether torch and torchvision fit."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

import nbjudge
from nbjudge.doctor.line import INSTALL, Line


def python() -> Iterator[Line]:
    suitable = (3, 11) <= sys.version_info < (3, 14)
    detail = f"{platform.python_version()} at {sys.executable}"
    fix = "Install Python 3.11, 3.12 or 3.13, then type `make install PYTHON=python3.12` in the course's folder"
    yield (
        Line("python", "ok", detail)
        if suitable
        else Line("python", "fail", f"{detail}; the course needs 3.11 to 3.13", fix)
    )


def packages() -> Iterator[Line]:
    """Against the lock: a direct dependency that is missing fails, another version than the locked
    one is a warning. Of ONNX Runtime, either build will do.
    """
    locked, missing = _locked(), _missing()
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
    """The direct dependencies that are not installed."""
    needed = [Requirement(text) for text in metadata.requires("nbjudge") or []]
    return [
        each.name
        for each in needed
        if (each.marker is None or each.marker.evaluate({"extra": ""}))
        and not any(map(_version, (each.name, each.name.removesuffix("-gpu"))))
    ]


def torchvision_build() -> Iterator[Line]:
    """Whether torchvision's compiled operators run beside this torch; and that its Python part
    imports, which the labs need.
    """
    import torch
    import torchvision

    pair = f"torch {torch.__version__}, torchvision {torchvision.__version__}"
    pin = _locked().get("torchvision", Version(torchvision.__version__).public)
    build = "cpu" if torch.version.cuda is None else f"cu{torch.version.cuda.replace('.', '')}"
    fix = f"type `pip install --no-deps --force-reinstall --index-url https://download.pytorch.org/whl/{build} torchvision=={pin}`"
    wanted = _torch_of_torchvision()
    if wanted and not wanted.contains(Version(torch.__version__).public, prereleases=True):
        yield Line("torchvision", "warn", f"{pair}: it was built for torch{wanted}", fix)
        return
    try:
        torchvision.ops.nms(torch.zeros(1, 4), torch.zeros(1), 0.5)
    except (RuntimeError, NotImplementedError):
        detail = f"{pair}: another build than torch's ({build}); models and transforms work, its own operators do not"
        yield Line("torchvision", "warn", detail, fix)
    else:
        yield Line("torchvision", "ok", pair)


def _torch_of_torchvision() -> SpecifierSet | None:
    """The versions of torch that the installed torchvision was built for."""
    needed = map(Requirement, metadata.requires("torchvision") or [])
    return next((each.specifier for each in needed if each.name == "torch"), None)


def _locked() -> dict[str, str]:
    """The lock's pins for this Python and platform. The wheel carries the lock; in a checkout that
    is not installed, it lies beside.
    """
    here = Path(nbjudge.__file__).parent
    places = (here / "requirements.lock", here.parent / "requirements.lock")
    lock = next(filter(Path.is_file, places), None)
    lines = lock.read_text().splitlines() if lock else []  # or from a checkout without it
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    ours = [pin for pin in pins if pin.marker is None or pin.marker.evaluate()]
    return {pin.name: next(iter(pin.specifier)).version for pin in ours}


def _version(name: str) -> str:
    """The installed version without the build (`+cpu`), or nothing."""
    try:
        return Version(metadata.version(name)).public
    except metadata.PackageNotFoundError:
        return ""
