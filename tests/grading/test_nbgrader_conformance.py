"""nbgrader's own tests of `nbgrader autograde`, run against this engine: what works with nbgrader keeps working."""

import os
import re
import subprocess
import sys

import pytest

PLUGIN = "from autograder.course.nbgrader_hooks import install\n\ninstall()\n"


@pytest.mark.xdist_group("conformance")
def test_nbgraders_own_autograde_tests_pass(tmp_path):
    (tmp_path / "hooks_plugin.py").write_text(PLUGIN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "hooks_plugin", "-W", "ignore"]
    command += ["--rootdir", str(tmp_path), "--pyargs", "nbgrader.tests.apps.test_nbgrader_autograde"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "", "USER": "grader"}
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    # Two skip themselves: one wants a PostgreSQL server, one "takes too long".
    passed = re.search(r"(\d+) passed, 2 skipped", done.stdout)
    assert passed and int(passed[1]) >= 40, done.stdout[-500:]
