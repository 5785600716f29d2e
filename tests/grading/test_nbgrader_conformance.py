"""nbgrader's own tests of `nbgrader autograde`, run against this engine: what works with nbgrader keeps working.

All of them are `make conformance` and `make test-all`; a few that stand for the rest run every time.
"""

import os
import re
import subprocess
import sys

import pytest

SUITE = "nbgrader.tests.apps.test_nbgrader_autograde"
# Marks, timestamps and penalties, forcing, files beside the notebook, hidden tests, a failure, and a kernel that is not there.
FEW = ("test_grade", "test_late_submission_penalty_plugin", "test_grade_overwrite_files_subdirs", "test_hidden_tests_single_notebook")
FEW += ("test_handle_failure_single_notebook", "test_incorrect_submitted_kernelspec")
PLUGIN = "from autograder.course.nbgrader_hooks import install\n\ninstall()\n"


@pytest.mark.xdist_group("conformance")
def test_a_few_of_nbgraders_own_autograde_tests_pass(tmp_path):
    # By their whole names: pytest's -k would take every name that begins so.
    told = nbgraders_tests(tmp_path, "--pyargs", *(f"{SUITE}::TestNbGraderAutograde::{name}" for name in FEW))
    assert f"{len(FEW)} passed" in told, told[-500:]


@pytest.mark.slow
@pytest.mark.xdist_group("conformance")
def test_nbgraders_own_autograde_tests_pass(tmp_path):
    told = nbgraders_tests(tmp_path, "--pyargs", SUITE)
    # Two skip themselves: one wants a PostgreSQL server, one "takes too long".
    passed = re.search(r"(\d+) passed, 2 skipped", told)
    assert passed and int(passed[1]) >= 40, told[-500:]


def nbgraders_tests(tmp_path, *chosen):
    """What they print in the end, none having failed."""
    (tmp_path / "hooks_plugin.py").write_text(PLUGIN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "hooks_plugin", "-W", "ignore"]
    command += ["--rootdir", str(tmp_path), *chosen]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "", "USER": "grader"}
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout
