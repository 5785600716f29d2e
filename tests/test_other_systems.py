"""What students use works where only Linux's own modules are missing: macOS and Windows have
JupyterLab and `check`, and no sandbox.
"""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Of the standard library: modules that Windows lacks, some of which macOS has, and attributes of
# `os` that only Linux has.
WITHOUT_THEM = """
import os, sys

class Missing:
    NAMES = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}

    def find_spec(self, name, path=None, target=None):
        if name in self.NAMES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for name in Missing.NAMES:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Missing())
for name in (
    "O_DIRECTORY", "O_NOFOLLOW", "memfd_create", "pidfd_open", "sched_getaffinity", "sched_setaffinity", "setns",
    "unshare",
):
    vars(os).pop(name, None)
"""


def without_linux(code: str, folder: Path, before: str = "", **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", before + WITHOUT_THEM + code],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "module",
    [
        "nbjudge.cli",
        "nbjudge.course.ladders",
        "nbjudge.doctor",
        "nbjudge.lab.server",
        "formatlab.measure.command",
        "formatlab.show",
    ],
)
def test_what_students_use_is_imported_without_linux(module, tmp_path):
    without_linux(f"import {module}", tmp_path)


def test_a_check_shows_its_ladder_without_linux(tmp_path):
    code = (
        "from nbjudge import check\n"
        "from nbjudge.checking import CheckFailed\n"
        "def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):\n"
        "    return 1\n"
        "def shape_coverage(model):\n"
        "    return {'static': 0, 'named': 0, 'unknown': 0, 'missing': 0}\n"
        "try:\n"
        "    check('shapes', conv_output_size, shape_coverage)\n"
        "except CheckFailed as broken:\n"
        "    print(broken)\n"
    )
    said = without_linux(code, ROOT / "labs" / "day-50")
    assert "is broken" in said and "Likely cause" in said


@pytest.mark.parametrize("login", ["ada", ""])
def test_a_lab_is_packed_without_linux(login, tmp_path):
    lab = tmp_path / "day-50"
    lab.mkdir()
    (lab / "dropout.ipynb").write_text(json.dumps({"nbformat": 4, "cells": []}))
    code = (
        "from pathlib import Path\n"
        "from nbjudge.course import submitting\n"
        "print(submitting.pack(Path('day-50'), submitting.default_archive(Path('day-50'))))\n"
    )
    names = dict.fromkeys(("LOGNAME", "USER", "LNAME", "USERNAME"), login)
    # It knows Windows by its name, and imports pwd on other systems.
    packed = Path(without_linux(code, tmp_path, "import nbgrader.utils\n", **names).strip())
    assert packed.name == f"{login or 'student'}_day-50.zip"
    with zipfile.ZipFile(packed) as archive:
        assert "day-50/dropout.ipynb" in archive.namelist()
