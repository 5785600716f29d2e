"""Students work and hand in on Windows, too: what they use there is imported without what only Linux
has. Collecting and grading need Linux.
"""

import json
import subprocess
import sys
import zipfile

# The packages know Windows; what follows them is ours. `pwd` is needed where nbgrader looks for it.
PROGRAM = """
import asyncio, multiprocessing, os, subprocess, sys, tempfile
from pathlib import Path
import IPython, jupyterlab, nbclient, nbgrader.apps, nbgrader.exchange.default, numpy, onnx, rich
import matplotlib.pyplot, onnx_ir, onnxruntime, typer

for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in ("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "fork", "getegid", "geteuid", "getuid", "killpg",
             "mkfifo", "pidfd_open", "sched_getaffinity", "setsid", "statvfs", "sysconf"):
    delattr(os, name)

import autograder.checking, autograder.cli, autograder.course.ladders, autograder.doctor, autograder.lab
import workbench.measure, workbench.models, workbench.show
from autograder.course import submitting

submitting.pack(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def test_a_lab_is_packed_where_only_windows_is(tmp_path):
    lab, target = tmp_path / "day-50", tmp_path / "ada_day-50.zip"
    lab.mkdir()
    (lab / "dropout.ipynb").write_text(json.dumps({"nbformat": 4, "cells": []}))
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, lab, target], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(target) as archive:
        assert "day-50/dropout.ipynb" in archive.namelist()
