"""No process can be started any more: nothing of that looks like a notebook that ran."""

import os
import subprocess
import sys
import textwrap

import pytest

# The system never counts root's own processes: a suite run by root runs this as an ordinary user,
# see `test_ordinary_user`.
PROGRAM = """
    import resource, sys
    from nbjudge.grading.faults import remedies
    from nbjudge.grading.faults.faults import Fault
    from nbjudge.grading.faults.policy import Moment, Place, Way
    from nbjudge.grading.execution.runner import run_notebook
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    resource.setrlimit(resource.RLIMIT_NPROC, (int(sys.argv[1]), hard))
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "1"}
    try:
        run = run_notebook({"cells": [cell]}, {})
    except Fault as error:
        print(error)
    except (OSError, RuntimeError) as error:
        print(remedies.reason(Place.COORDINATOR, Way.EXCEPTION, Moment.GRADING, f"{type(error).__name__}: {error}"))
    else:
        print("ran:", run.cells[0].status)
"""


@pytest.mark.parametrize("more", [0, 2, 5])
def test_without_free_processes_nothing_runs_and_the_remedy_is_named(more):
    if os.geteuid() == 0:
        return
    limit = more and _processes() + more
    ended = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(PROGRAM), str(limit)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (
        ended.stdout.startswith("ran: ok") or "then type the same command again" in ended.stdout
    ), ended.stdout
    assert more or "ulimit -u" in ended.stdout


def _processes() -> int:
    """How many processes and threads this user has."""
    uid, count = os.getuid(), 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{name}").st_uid == uid:
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            continue
    return count
