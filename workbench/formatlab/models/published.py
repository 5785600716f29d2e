"""Files of other people's packages that are accepted by their hash, whoever made the package."""

from __future__ import annotations

import hashlib
from importlib import metadata
from pathlib import Path


class WeightsMissing(RuntimeError):
    """No pretrained weights on this machine. The text says how to get them."""


class WeightsRefused(RuntimeError):
    """A weights file is not the published one. The text names the file and both hashes."""


def in_package(package: str, name: str, *, absent: str, incomplete: str) -> Path:
    """The file `name` of an installed package, whose code is not imported; not verified yet.

    Raises WeightsMissing with the text `absent` when the package is not installed, and with
    `incomplete` when it holds no such file.
    """
    try:
        distribution = metadata.distribution(package)
    except metadata.PackageNotFoundError:
        raise WeightsMissing(absent) from None
    found = [file for file in distribution.files or () if file.name == name]
    if not found:
        raise WeightsMissing(incomplete)
    return Path(found[0].locate())


def verified(path: Path, sha256: str) -> Path:
    """`path`, once its content is known to be the published one. Raises WeightsMissing,
    WeightsRefused.
    """
    if not path.is_file():
        raise WeightsMissing(f"there is no {path}")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise WeightsRefused(
            f"{path} is not the published file and is not used: its sha256 is {found}, expected {sha256}"
        )
    return path
