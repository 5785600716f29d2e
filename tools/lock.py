"""Write requirements.lock and environment.yml from pyproject.toml.

    pip install uv && python tools/lock.py            keep what fits, add what is missing
    pip install uv && python tools/lock.py --upgrade  the newest of everything that fits together

The lock holds one pin for each package of the default environment and of all extras, for Python
3.11 to 3.13 on any platform. pip takes it as constraints
(`pip install -c requirements.lock '.[dev]'`), so it says which version, and never that a package
must be there.
"""

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
ENVIRONMENT = ROOT / "environment.yml"

# What a CUDA build of torch brings along. torch pins these itself, differently for each CUDA
# version: ours would only be in the way.
BROUGHT_BY_TORCH = ("nvidia-", "cuda-", "triton")

LOCK_HEADER = (
    "# Written by tools/lock.py. Constraints for pip: pip install -c requirements.lock '.[dev]'\n"
)
ENVIRONMENT_HEADER = (
    "# Written by tools/lock.py. For conda users: conda env create -f environment.yml\n"
)


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def pins(lock: str) -> dict[str, str]:
    """The version of each package in the text of a lock, by canonical name."""
    requirements = (
        Requirement(line) for line in lock.splitlines() if line and not line.startswith("#")
    )
    return {
        canonicalize_name(each.name): next(iter(each.specifier)).version for each in requirements
    }


def resolve(upgrade: bool) -> str:
    """The text of the lock. uv starts from the pins in requirements.lock, unless `upgrade` is set."""
    options = [
        "--all-extras",
        "--universal",
        "--python-version=3.11",
        "--fork-strategy=fewest",
        "--no-annotate",
        "--no-header",
        "--quiet",
    ]
    options += ["--output-file", str(LOCK), *(["--upgrade"] if upgrade else [])]
    command = [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", *options]
    subprocess.run(command, cwd=ROOT, check=True)
    kept = [
        line
        for line in LOCK.read_text().splitlines(keepends=True)
        if not line.startswith((*BROUGHT_BY_TORCH, "#"))
    ]
    return LOCK_HEADER + "".join(kept)


def environment(lock: str) -> str:
    """The text of environment.yml: Python, pip, each direct dependency at its locked version, and
    the package itself.
    """
    version = pins(lock)
    python = project()["requires-python"]
    lines = [
        "name: ml-model-formats",
        "channels:",
        "  - conda-forge",
        "dependencies:",
        f'  - "python{python}"',
        "  - pip",
        "  - pip:",
    ]
    lines.append("      - --constraint requirements.lock")
    for text in project()["dependencies"]:
        requirement = Requirement(text)
        marker = f"; {requirement.marker}" if requirement.marker else ""
        lines.append(
            f"      - {requirement.name}=={version[canonicalize_name(requirement.name)]}{marker}"
        )
    return ENVIRONMENT_HEADER + "\n".join([*lines, "      - ."]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--upgrade", action="store_true", help="take the newest versions that fit together"
    )
    lock = resolve(parser.parse_args().upgrade)
    LOCK.write_text(lock)
    ENVIRONMENT.write_text(environment(lock))
    print(f"{len(pins(lock))} packages locked")


if __name__ == "__main__":
    main()
