"""A clone that is installed as README's conda lines say: `course check` runs what was released, also
where a student edited a given cell, and a lab that was edited before is no source of it.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("workbench", "autograder", "exercises", "labs/day-50", "labs/lab-7-01")
FILES = ("pyproject.toml", "hatch_build.py", "requirements.lock", "LICENSE", "NOTICE.md")
RESET = "the given cell was edited and was reset"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The clone, and where its three distributions are installed, without a network. In the clone
    somebody had worked in the lab `shapes` before.
    """
    clone = tmp_path_factory.mktemp("clone")
    left_out = shutil.ignore_patterns("answers", "__pycache__", "given", "build")
    for part in PARTS:
        shutil.copytree(ROOT / part, clone / part, ignore=left_out)
    for file in FILES:
        shutil.copy(ROOT / file, clone / file)
    edit(clone / "labs" / "day-50" / "shapes.ipynb")
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--target", target, "./workbench", "./autograder", "."]
    subprocess.run(command, cwd=clone, check=True)
    return clone, target


def edit(lab: Path) -> None:
    """Change the lab's test cell, as a student might who wants it to pass."""
    notebook = json.loads(lab.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("points"):
            cell["source"] = "print('all is well')"
    lab.write_text(json.dumps(notebook), encoding="utf-8")


def check(lab: Path, target: Path) -> str:
    code = f"import nbjudge; assert nbjudge.__file__.startswith({str(target)!r}); from nbjudge.cli import main; main()"
    command = [sys.executable, "-c", code, "check", lab.name]
    env = {**os.environ, "PYTHONPATH": str(target)}
    done = subprocess.run(command, cwd=lab.parent, env=env, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    return done.stdout


def test_a_given_cell_that_was_edited_is_put_back(installed):
    clone, target = installed
    lab = clone / "labs" / "day-50" / "inspect.ipynb"
    edit(lab)
    said = check(lab, target)
    assert RESET in said and "the stub" in said


def test_what_was_edited_before_is_not_what_the_check_puts_back(installed):
    clone, target = installed
    given = target / "formatlab_exercises" / "references" / "given"
    assert not (given / "shapes.json").exists() and (given / "dropout.json").exists()
    shutil.copy(ROOT / "labs" / "day-50" / "shapes.ipynb", clone / "labs" / "day-50")
    said = check(clone / "labs" / "day-50" / "shapes.ipynb", target)
    assert "the notebook was run as it stands" in said and "all is well" not in said
