"""A class of any size without its boxes: the real coordinator, journal and gradebook, fed with made
up results.

For each number: that many submissions of `day-50` graded for the first time, then once more with
nothing changed. What boxes would do is replaced by a result that is handed over at once: what is
left is the coordinator's own work. Everybody's answers, outputs and marks are others, and one in
ten is late.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT = "day-50"


DATABASES = ("sqlite", "postgresql")


def rows(numbers: Sequence[int], databases: Sequence[str]) -> Iterator[dict]:
    """Each number with SQLite in the course folder, and with an empty database of a PostgreSQL
    server of our own.
    """
    if "sqlite" in databases:
        yield from (apart(number, None) for number in numbers)
    if "postgresql" in databases:
        sys.path.insert(0, str(ROOT / "tests" / "grading"))
        import postgres

        with postgres.server(lasting=True) as server:
            for number in numbers:
                yield apart(number, server.create(f"class{number}"))


def together(old: Sequence[dict], row: dict) -> list[dict]:
    """A row in the place of the one that it is measured again for."""
    found = {(each["submissions"], each["database"]): each for each in (*old, row)}
    return sorted(
        found.values(), key=lambda each: (DATABASES.index(each["database"]), each["submissions"])
    )


def apart(number: int, db: str | None) -> dict:
    """One number in a process of its own, whose peak of memory is its own."""
    print(f"{number} submissions in {'PostgreSQL' if db else 'SQLite'}", flush=True)
    program = [sys.executable, "-P", str(Path(__file__)), str(number), *([db] if db else [])]
    told = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True).stdout
    return json.loads(told.splitlines()[-1])


def one(number: int, db: str | None) -> dict:
    from nbjudge.course.publish import publish
    from nbjudge.grading.config.folders import Course, Project

    with tempfile.TemporaryDirectory() as folder:
        course = Course.at(Path(folder) / "course", db)
        publish(course, Project(ROOT), [ASSIGNMENT], exchange=False)
        _set_due_date(course)
        for student in range(number):
            _hand_in(course, f"student-{student:05}", student)
        load = os.getloadavg()[0]
        first, second = graded(course, Path(folder) / "report.json"), graded(course)
    return {
        "submissions": number,
        "database": "postgresql" if db else "sqlite",
        "load_before": round(load, 1),
        "first": first,
        "again": second,
    }


def _set_due_date(course) -> None:
    from nbgrader.utils import parse_utc

    from nbjudge.grading.gradebook import record

    with record.gradebook(course) as book:
        book.find_assignment(ASSIGNMENT).duedate = parse_utc("2026-01-01 10:53:00 UTC")
        book.db.commit()


def _hand_in(course, name: str, number: int) -> None:
    """The same files for everybody: links are refused, so they are copies."""
    folder = course.submitted / name / ASSIGNMENT
    shutil.copytree(ROOT / "solutions" / ASSIGNMENT, folder)
    (folder / "timestamp.txt").write_text(f"2026-01-01 10:{number % 60:02}:00 UTC")


def graded(course, told: Path | None = None) -> dict:
    """What a run took; with `told`, its table and its JSON file too."""
    from nbjudge.grading.reuse.journal import Journal
    from nbjudge.grading.run import coordinator

    spent: dict[str, float] = {}
    times: list[float] = []
    with (
        fake_boxes(course),
        timed(coordinator.record.Recorder, "record", spent),
        timed(Journal, "write", spent),
    ):
        began, cpu = time.monotonic(), time.process_time()
        report = coordinator.grade(
            course,
            coordinator.GradingRequest(ASSIGNMENT, seed=50, jobs=2),
            lambda event, count, result: (
                times.append(time.monotonic()) if event == "done" else None
            ),
        )
    seconds, cpu_seconds = time.monotonic() - began, time.process_time() - cpu
    report_seconds = _report(report, told) if told else None
    if faults := [result.reason for result in report.submissions if result.fault]:
        raise RuntimeError(f"the simulation does not hold: {faults[0]}")
    half = len(times) // 2
    return {
        "report_seconds": report_seconds,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "per_second": len(times) / (times[-1] - began),
        "per_second_in_the_second_half": (len(times) - half)
        / max(times[-1] - times[half - 1], 1e-9)
        if half
        else None,
        "resumed": report.resumed,
        "journal_seconds": spent.get("write", 0.0),
        "database_seconds": spent.get("record", 0.0),
        "peak_mb": _peak_mb(),
    }


def _report(report, file: Path) -> float:
    """Seconds for the table and the JSON file, which are made when all is graded."""
    from rich.console import Console

    from nbjudge.grading.run import table

    began = time.monotonic()
    with file.open("w") as json_file:
        json_file.writelines(report.json_text())
    with open(os.devnull, "w") as screen:
        table.show(report, Console(file=screen, width=100))
    return time.monotonic() - began


@contextmanager
def fake_boxes(course) -> Iterator[None]:
    """Results as if boxes had made them; no sandbox, no references, no canary."""
    from nbjudge.boxes import selftest
    from nbjudge.grading.run import coordinator
    from nbjudge.grading.submission import canary, engine

    kept = selftest.require_sandbox, canary.prove, coordinator.prepare, engine.grade
    selftest.require_sandbox = lambda *hidden, **settings: None
    canary.prove = lambda *anything, **settings: None
    coordinator.prepare = lambda *anything, **settings: {}
    engine.grade = _made_up
    try:
        yield
    finally:
        selftest.require_sandbox, canary.prove, coordinator.prepare, engine.grade = kept


def _made_up(task, begin):
    """A result in which nearly every cell is the student's own, and differs in what it says."""
    from nbjudge.grading.marks.results import GRADED, NotebookResult, SubmissionResult
    from nbjudge.grading.published.skeletons import max_score

    student, skeleton = task.submission.student, task.skeletons[task.current]
    most = sum(map(max_score, skeleton.values()))
    result = SubmissionResult(student, most, timestamp=task.submission.timestamp)
    for name, notebook in skeleton.items():
        cells = [dict(cell) for cell in notebook["cells"]]
        for index, cell in enumerate(cells):
            _answer(result, name, cell, (int(student.rpartition("-")[2]) + index) % 3)
        result.notebooks[name] = NotebookResult(GRADED)
        result.documents[name] = {**notebook, "cells": cells}
    return replace(result, needs_manual=True)


def _answer(result, name: str, cell: dict, halves: int) -> None:
    """A cell as its student leaves it; a test gives so many halves of its points."""
    from nbjudge.grading.document.cells import nbgrader_metadata
    from nbjudge.grading.marks import marking
    from nbjudge.grading.marks.results import GRADED, MANUAL, CellResult

    meta, said = nbgrader_metadata(cell), f"{result.student} in {name}\n" * 40
    if cell["cell_type"] == "code":
        shown = {"output_type": "stream", "name": "stdout", "text": said}
        cell["outputs"], cell["execution_count"] = [shown], 1
    if meta and meta["solution"]:
        cell["source"] += f"\n# by {result.student}"
    if not meta or not (meta["grade"] or meta.get("task")):
        return
    points = float(meta["points"])
    marked = CellResult(MANUAL, None, points)
    if not meta["solution"] and not meta.get("task") and cell["cell_type"] == "code":
        marked = CellResult(GRADED, points * halves / 2, points)
        if halves < 2:
            marked = replace(marked, rung="numerics", case="made-up", found=said[:200])
        cell["outputs"] = marking.verdict_outputs(said, marked.score)
    result.cells[f"{name}/{meta['grade_id']}"] = marked


@contextmanager
def timed(owner: type, name: str, spent: dict[str, float]) -> Iterator[None]:
    real = getattr(owner, name)

    def call(*told, **named):
        began = time.monotonic()
        try:
            return real(*told, **named)
        finally:
            spent[name] = spent.get(name, 0.0) + time.monotonic() - began

    setattr(owner, name, call)
    try:
        yield
    finally:
        setattr(owner, name, real)


def _peak_mb() -> float:
    """Of this program alone: what getrusage tells begins with that of the program that started it."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


if __name__ == "__main__":
    print(json.dumps(one(int(sys.argv[1]), *(sys.argv[2:] or [None]))))
