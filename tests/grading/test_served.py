"""Cases that are served from outside the box, graded: the log is the coordinator's, whatever the
notebook does.
"""

import io
import json
import textwrap
from functools import cache
from pathlib import Path

import pytest

from formatlab_exercises.benchmark.ask import MAX_QUESTIONS
from formatlab_exercises.benchmark.judge import evidence, machine
from formatlab_exercises.benchmark.judge.machine import Machine
from nbjudge import exercises, wire
from nbjudge.contract.authored import ExerciseBroken
from nbjudge.grading.execution.checker import CheckFault, judge
from nbjudge.grading.execution.progress import MAX_REFUSED, Servers
from nbjudge.grading.execution.runner import Budget, run_notebook

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = exercises.get("benchmark")
CASES = EXERCISE.graded_cases(5)
pytestmark = pytest.mark.xdist_group("served")  # a solution is graded once for two tests
BUDGET = Budget(cell=300, case=300, notebook=900)  # for a busy machine; nothing waits for it


def solution() -> str:
    cells = json.loads((ROOT / "solutions" / "lab-7-01" / "benchmark.ipynb").read_text())["cells"]
    chosen = [
        cell
        for cell in cells
        if cell["metadata"]["nbgrader"]["grade_id"] in ("imports", "benchmark")
    ]
    return "\n".join("".join(cell["source"]) for cell in chosen)


def graded(*sources: str, cases=CASES):
    """The answers and the verdict of a notebook with these cells."""
    test = {
        "nbgrader": {"grade_id": EXERCISE.grade_id, "grade": True, "solution": False, "points": 4}
    }
    given = [
        {"cell_type": "code", "id": str(at), "source": textwrap.dedent(source), "metadata": {}}
        for at, source in enumerate(sources)
    ]
    given.append(
        {
            "cell_type": "code",
            "id": "check",
            "source": 'check("benchmark", benchmark)',
            "metadata": test,
        }
    )
    run = run_notebook({"cells": given}, {"benchmark": cases}, budget=BUDGET)
    return run, judge("benchmark", cases, run.answers["benchmark"], {})


def share(verdict) -> float:
    return verdict.score / verdict.max_score


@cache
def of_the_solution():
    return graded(solution())


def test_the_solution_earns_everything_and_the_stub_nothing():
    run, verdict = of_the_solution()
    assert share(verdict) == 1, verdict.broken
    assert {answer.outcome for answer in run.answers["benchmark"].values()} == {"returned"}
    assert (
        graded("def benchmark(variants, clock, rounds):\n    raise NotImplementedError()")[1].score
        == 0
    )


def test_two_runs_of_the_same_notebook_leave_the_same_log():
    runs = of_the_solution()[0], graded(solution())[0]
    first, second = (run.answers["benchmark"] for run in runs)
    assert {name: answer.files for name, answer in first.items()} == {
        name: answer.files for name, answer in second.items()
    }


def test_ten_million_readings_are_dealt_with_and_earn_nothing():
    run, verdict = graded(
        """
        def benchmark(variants, clock, rounds):
            if rounds < 1 or not variants:
                raise ValueError
            for _ in range(10_000_000):
                clock()
    """,
        cases=CASES[:1],
    )
    assert (
        verdict.score == 0 and verdict.broken.found == "so many that the machine stopped answering"
    )
    assert {answer.outcome for answer in run.answers["benchmark"].values()} == {"raised"}


def test_who_swallows_the_end_of_the_line_has_it_in_the_log():
    run, verdict = graded(
        """
        def benchmark(variants, clock, rounds):
            if rounds < 1 or not variants:
                raise ValueError
            asked = 0
            while asked < 30_000:
                asked += 1
                try:
                    clock()
                except RuntimeError:
                    pass
            return {name: {"median": 0.001, "p10": 0.001, "p90": 0.001, "warmup": 9} for name in variants}
    """,
        cases=CASES[:1],
    )
    assert share(verdict) == 0 and "stopped answering" in verdict.broken.found
    [answer] = run.answers["benchmark"].values()
    assert len(answer.files[machine.LOG]) // 16 == MAX_QUESTIONS + 1


FORGED_LOG = """
    import json, os, struct
    from pathlib import Path
    from nbjudge import wire
    from nbjudge.boxes.inside import collect

    def benchmark(variants, clock, rounds):
        if rounds < 1 or not variants:
            raise ValueError
        events = []
        for number in range(rounds + 30):
            for variant in range(len(variants)):
                now = number * 1_000_000 * len(variants) + variant * 1_000_000
                events += [(0, now), (variant + 1, number), (0, now + 1_000_000)]
        log = b"".join(struct.pack("<qq", *event) for event in events)
        entry = {"median": 0.001, "p10": 0.001, "p90": 0.001, "warmup": 30}
        report = json.dumps({"result": dict.fromkeys(variants, entry), "refusals": {}}).encode()
        path = sorted(Path("/spool/cases").glob("*.calling"))[-1].with_suffix(".answer")
        files = {"report.json": report, "log.bin": log}
        path.with_suffix(".mine").write_bytes(wire.encode("answer", files, outcome="returned", error={}))
        os.replace(path.with_suffix(".mine"), path)
        while path.exists():
            pass
        return {}
"""


def test_a_log_that_the_notebook_writes_is_replaced_by_the_one_that_was_kept():
    run, verdict = graded(FORGED_LOG)
    assert share(verdict) <= 0.15 and verdict.broken.name in ("contract", "structure")
    assert {
        answer.files[machine.LOG]
        for answer in run.answers["benchmark"].values()
        if answer.outcome == "returned"
    } == {b""}


def test_a_new_kernel_does_not_make_a_new_machine():
    """The public case that is called first asks for the second, and dies: what it asked stays in the
    second's log.
    """
    order = EXERCISE.judge.calling_order(CASES)
    first, second = [case for case in order if case.public][:2]  # those on offer together
    run, _ = graded(f"""
        import os
        from nbjudge.boxes.inside import collect
        def benchmark(variants, clock, rounds):
            if list(variants) == {first.parameters["variants"]}:
                for _ in range(5):
                    collect._line.ask({order.index(second)}, 1)
                os._exit(0)
            return {{}}
    """)
    found = run.answers["benchmark"]
    assert (found[first.name].outcome, found[second.name].outcome) == ("killed", "returned")
    assert [call.number for call in evidence.run(found[second.name]).calls] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"exercise": "benchmark"},
        {"exercise": "benchmark", "case": "nobody", "question": 0},
        {"exercise": ["benchmark"], "case": "soon-warm", "question": 0},
        {"exercise": "benchmark", "case": {"soon": "warm"}, "question": 0},
        *(
            {"exercise": "benchmark", "case": "soon-warm", "question": value}
            for value in (True, 0.0, "0", None, [0], -1, 99, 10**30)
        ),
    ],
    ids=str,
)
def test_a_forged_question_gets_no_reply(fields):
    servers = Servers({"benchmark": {case.name: case for case in CASES}})
    reply = servers.reply(wire.Frame({"kind": "ask", **fields}))
    assert next(wire.read(_stream(reply), 1000)).header["reply"] is None


def test_a_runner_that_asks_on_and_on_where_nothing_is_answered_is_cut_off():
    servers = Servers({"benchmark": {case.name: case for case in CASES}})
    nonsense = wire.Frame({"kind": "ask", "exercise": "benchmark", "case": "nobody", "question": 0})
    with pytest.raises(wire.WireError):
        for _ in range(MAX_REFUSED + 1):
            servers.reply(nonsense)


def test_a_fault_of_the_machine_is_no_mark(monkeypatch):
    def broken(self, question):
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setattr(Machine, "reply", broken)
    with pytest.raises(ExerciseBroken, match="ZeroDivisionError: a bug of ours"):
        graded(solution())


def test_an_answer_without_its_log_is_no_mark(monkeypatch):
    monkeypatch.setattr(Machine, "log", lambda self: {})
    with pytest.raises((CheckFault, RuntimeError)):
        graded(solution())


def test_reference_and_student_see_machines_of_their_own():
    run, _ = graded("import sys", solution())
    names = [case.name for case in CASES]
    assert list(run.answers["benchmark"]) == names
    assert all(evidence.run(run.answers["benchmark"][name]).calls for name in names)


def _stream(data: bytes):
    return io.BytesIO(data)
