"""What other programs take of the machine costs no cell and no case its time."""

import textwrap

from nbjudge import exercises
from tests.boxes.box_tools import run_cells

# Eight programs and the kernel on one processor: of nine seconds it gets about one. `busy` computes,
# and goes on until more seconds have passed than a cell or a case has here.
CROWD = """
import os, subprocess, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(8)]
def busy():
    began, worked = time.monotonic(), time.process_time()
    while time.monotonic() - began < 5 or time.process_time() - worked < 0.2:
        pass
"""
IMPORT = "from nbjudge import check"


def test_a_cell_has_its_seconds_without_those_of_others():
    ran = run_cells(CROWD, "busy(); 'done'", cell_seconds=3)
    assert [ran.status(0), ran.status(1), ran.text(1)] == ["ok", "ok", "'done'"]


def test_a_case_has_its_seconds_without_those_of_others():
    define = textwrap.dedent("""
        def describe(model, directory=None):
            busy()
            return {"ir_version": model.ir_version}
    """)
    case = next(case for case in exercises.get("inspect").graded_cases(7) if case.public)
    ran = run_cells(
        IMPORT, CROWD, define, "check('inspect', describe)", cases=[case], case_seconds=3
    )
    assert ran.outcome(case.name) == "returned", ran.answers[case.name].header


def test_a_notebook_has_its_seconds_whoever_takes_them():
    ran = run_cells(CROWD, "while True: pass", "1", cell_seconds=30, notebook_seconds=5)
    assert [ran.status(index) for index in range(3)] == ["ok", "timeout", "not_run"]
