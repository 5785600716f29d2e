"""nbgrader's own tests, unmodified, run against this engine: what passes with nbgrader's own classes passes with ours."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import postgres
import pytest

HERE = Path(__file__).parent
APPS = "nbgrader.tests.apps.test_"
SUITES = {
    "autograde": [f"{APPS}nbgrader_autograde"],
    "feedback": [f"{APPS}nbgrader_generate_feedback", f"{APPS}nbgrader_releasefeedback", f"{APPS}nbgrader_fetchfeedback"],
    "validate": [f"{APPS}nbgrader_validate"],
    "generate_assignment": [f"{APPS}nbgrader_generate_assignment"],
    "api": [f"{APPS}api"],
    "gradebook": ["nbgrader.tests.api"],
    "zip_collect": [f"{APPS}nbgrader_zip_collect"],
    "formgrade": [f"{APPS}nbgrader_formgrade"],
}
# Marks, timestamps and penalties, forcing, files beside the notebook, hidden tests, a failure, and a kernel that is not there.
FEW = ("test_grade", "test_late_submission_penalty_plugin", "test_grade_overwrite_files_subdirs", "test_hidden_tests_single_notebook")
FEW += ("test_handle_failure_single_notebook", "test_incorrect_submitted_kernelspec")
# Skips itself on stock. Here it runs, on a server that takes five connections.
LIFTED = {"test_many_students"}

pytestmark = pytest.mark.xdist_group("conformance")


def outcomes(folder: Path, modules: list[str], ours: bool, database: str = "") -> dict[str, str]:
    """What became of each test: passed, failed or skipped."""
    folder.mkdir()
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore"]
    command += [*(["-p", "conformance_plugin"] if ours else []), "--rootdir", str(folder), f"--junitxml={report}", "--pyargs", *modules]
    environment = {**os.environ, "PYTHONPATH": str(HERE), "PYTHONSAFEPATH": "", "USER": "grader", "CONFORMANCE_DATABASE": database}
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert report.exists(), done.stdout[-3000:] + done.stderr[-3000:]
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        tags = {child.tag for child in case}
        ended = "failed" if tags & {"failure", "error"} else "skipped" if "skipped" in tags else "passed"
        found[f"{case.get('classname')}::{case.get('name')}"] = ended
    print(f"{'here' if ours else 'stock'}: {dict(Counter(found.values()))}")
    print(*(f"{ended} {name}" for name, ended in found.items() if ended != "passed"), sep="\n")
    if any(ended == "failed" for ended in found.values()):
        print(done.stdout[-6000:])
    return found


def test_a_few_of_nbgraders_own_autograde_tests_pass(tmp_path):
    # By their whole names: pytest's -k would take every name that begins so.
    few = [f"{name}::TestNbGraderAutograde::{test}" for name in SUITES["autograde"] for test in FEW]
    found = outcomes(tmp_path / "here", few, ours=True)
    assert len(found) == len(FEW) and set(found.values()) == {"passed"}, found


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_what_passes_on_stock_passes_here(suite, tmp_path):
    with postgres.server(max_connections=5) as server:
        here = outcomes(tmp_path / "here", SUITES[suite], ours=True, database=server.create("gradebook"))
    stock = outcomes(tmp_path / "stock", SUITES[suite], ours=False)
    assert here.keys() == stock.keys() and "passed" in stock.values()
    assert [name for name in stock if stock[name] == "passed" and here[name] != "passed"] == []
    lifted = {name: ended for name, ended in here.items() if name.rpartition("::")[2] in LIFTED}
    assert set(lifted.values()) <= {"passed"} and len(lifted) == (suite == "autograde"), lifted
