"""Faults of the machine while a perfect submission is graded: never a mark, always a remedy, and
nothing is lost.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults import own_mounts

pytestmark = pytest.mark.xdist_group("faults")  # one process injects them all, one after the other

# What the reason must say: the remedy.
REMEDIES = {
    "unreadable /dev/null": r"chmod 666 /dev/null",
    "library of the supervisor missing": r"make install",
    "library of the checker missing": r"make install",
    "package removed": r"make install",
    "course disk full": r"free space",
    "no file descriptors": r"ulimit -n",
    "checker without memory": r"Memory is short|make install|course doctor",
    "bubblewrap killed": r"killed from outside.*dmesg",
    "supervisor killed": r"killed from outside.*dmesg",
    "checker killed": r"killed from outside.*dmesg",
    "template of the checker killed": r"killed from outside.*dmesg",
}
HARMLESS = "full /tmp, clock set back"


@pytest.fixture(scope="module")
def runs(course, tmp_path_factory) -> dict[str, dict]:
    out = tmp_path_factory.mktemp("out") / "reports.json"
    driver = [
        sys.executable,
        "-P",
        "-m",
        "tests.faults.driver",
        str(out),
        *REMEDIES,
        HARMLESS,
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "STAGE_USER": str(os.geteuid()),
    }
    done = subprocess.run(
        own_mounts.start(str(course.root), driver), env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(out.read_text())


@pytest.mark.parametrize("name", REMEDIES)
def test_it_is_ungraded_and_the_reason_names_the_remedy(runs, name):
    run = runs[name]
    (submission,) = run["submissions"]
    assert (run["exit"], submission["status"], submission["score"]) == (3, "ungraded", None), (
        submission
    )
    assert re.search(REMEDIES[name], submission["reason"]), submission["reason"]
    assert (
        submission["reason"].endswith("the same command again") and "\n" not in submission["reason"]
    )


@pytest.mark.parametrize("name", REMEDIES)
def test_nothing_is_left_of_it(runs, name):
    untouched = next(iter(runs.values()))["gradebook"]
    assert (runs[name]["journal"], runs[name]["autograded"], runs[name]["gradebook"]) == (
        [],
        [],
        untouched,
    )


def test_the_same_command_after_the_repair_gives_the_marks_of_an_undisturbed_run(runs):
    """A full /tmp and a clock that goes back disturb nothing."""
    (submission,) = runs[HARMLESS]["submissions"]
    assert (runs[HARMLESS]["exit"], submission["status"]) == (0, "graded"), submission
    assert submission["score"] == submission["max_score"] > 0
