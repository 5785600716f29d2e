"""Write the locks and environment.yml from the three pyproject.toml.

    pip install uv && python tools/lock.py            keep what fits, add what is missing
    pip install uv && python tools/lock.py --upgrade  the newest of everything that fits together

Each environment has a lock of its own, so that what one of them holds back binds no other. A lock
holds one pin for each package of the environment, for every Python from 3.11 on and any platform.
pip takes it as constraints, so it says which version, and never that a package must be there.
"""

import argparse
import subprocess
import sys
from dataclasses import dataclass

import projects
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from projects import COURSE, ROOT

ENVIRONMENT = ROOT / "environment.yml"

# What a CUDA build of torch brings along. torch pins these itself, differently for each CUDA
# version: ours would only be in the way.
BROUGHT_BY_TORCH = ("nvidia-", "cuda-", "triton")

# Held by hand, each with its reason; the rest is the newest that fits.
HELD = (
    # The newest whose small build can be had wherever this project is built and tested.
    "torch==2.13.0",
    # The one that was built for that torch.
    "torchvision==0.28.0",
)
HELD_FOR_THE_ZOO = (
    # 1.3 refuses Python 3.11, which uv does not see and pip does.
    "backports.strenum==1.2.8",
)

ENVIRONMENT_HEADER = (
    "# Written by tools/lock.py. For conda users: conda env create -f environment.yml\n"
)


@dataclass(frozen=True, kw_only=True)
class Lock:
    """A lock: of a distribution with some of its extras. `within` is a lock whose pins it keeps."""

    file: str
    distribution: str
    extras: tuple[str, ...]
    title: str
    held: tuple[str, ...] = HELD
    within: str = ""
    oldest_python: str = "3.11"

    def requirements(self) -> list[str]:
        return projects.requirements(self.distribution, self.extras)


LOCKS = (
    Lock(
        file="autograder/requirements.lock",
        distribution="nbjudge",
        extras=("grading", "hub", "scale"),
        title="The harness alone: pip install -c autograder/requirements.lock './autograder[grading]'",
        held=(),
    ),
    Lock(
        file="requirements.lock",
        distribution=COURSE,
        extras=("course", "dev", "gpu", "minilm", "silero"),
        title="The course: pip install -c requirements.lock ./workbench ./autograder '.[course,minilm,silero]'",
    ),
    Lock(
        file="requirements-site.lock",
        distribution=COURSE,
        extras=("course", "dev", "gpu", "minilm", "silero", "site"),
        title="The rendered course: make site",
        within="requirements.lock",
    ),
    Lock(
        file="requirements-zoo.lock",
        distribution=COURSE,
        extras=("course", "dev", "gpu", "minilm", "silero", "zoo"),
        title="The environment of notebook 08 of Day 50: make zoo",
        held=(*HELD, *HELD_FOR_THE_ZOO),
    ),
)


def pins(lock: str) -> dict[str, str]:
    """The version of each package in the text of a lock, by canonical name."""
    requirements = (
        Requirement(line) for line in lock.splitlines() if line and not line.startswith("#")
    )
    return {
        canonicalize_name(each.name): next(iter(each.specifier)).version for each in requirements
    }


def resolve(lock: Lock, upgrade: bool) -> str:
    """The text of the lock. uv starts from the pins that are there, unless `upgrade` is set."""
    constraints = [*lock.held]
    if lock.within:
        within = (ROOT / lock.within).read_text().splitlines()
        constraints += [line for line in within if not line.startswith("#")]
    wanted = ROOT / "build" / "lock"
    wanted.mkdir(parents=True, exist_ok=True)
    (wanted / "wanted.in").write_text("\n".join(lock.requirements()) + "\n")
    (wanted / "constraints.in").write_text("\n".join(constraints) + "\n")
    options = [
        "--universal",
        f"--python-version={lock.oldest_python}",
        "--fork-strategy=fewest",
        "--no-annotate",
        "--no-header",
        "--quiet",
        *("--constraints", str(wanted / "constraints.in")),
        *("--output-file", str(ROOT / lock.file)),
        *(["--upgrade"] if upgrade else []),
    ]
    compile_ = [sys.executable, "-m", "uv", "pip", "compile", str(wanted / "wanted.in"), *options]
    subprocess.run(compile_, cwd=ROOT, check=True)
    kept = [
        line
        for line in (ROOT / lock.file).read_text().splitlines(keepends=True)
        if not line.startswith((*BROUGHT_BY_TORCH, "#"))
    ]
    return f"# Written by tools/lock.py. {lock.title}\n{''.join(kept)}"


def environment(lock: str) -> str:
    """The text of environment.yml: Python, pip, each direct dependency of the course at its locked
    version, and the three packages themselves.
    """
    version = pins(lock)
    python = projects.project(COURSE)["requires-python"]
    lines = [
        "name: ml-model-formats",
        "channels:",
        "  - conda-forge",
        "dependencies:",
        f'  - "python{python}"',
        "  - pip",
        "  - pip:",
        "      - --constraint requirements.lock",
    ]
    for text in projects.requirements(COURSE, ["course", "minilm", "silero"]):
        requirement = Requirement(text)
        marker = f"; {requirement.marker}" if requirement.marker else ""
        lines.append(
            f"      - {requirement.name}=={version[canonicalize_name(requirement.name)]}{marker}"
        )
    lines += [f"      - {place}" for place in ("./workbench", "./autograder", ".")]
    return ENVIRONMENT_HEADER + "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--upgrade", action="store_true", help="take the newest versions that fit together"
    )
    upgrade = parser.parse_args().upgrade
    for lock in LOCKS:
        text = resolve(lock, upgrade)
        (ROOT / lock.file).write_text(text)
        print(f"{lock.file}: {len(pins(text))} packages locked")
        if lock.file == "requirements.lock":
            ENVIRONMENT.write_text(environment(text))


if __name__ == "__main__":
    main()
