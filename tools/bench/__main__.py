"""`make bench`: nbgrader as it comes beside this engine, in turn, on the same submissions, and where
the time of one submission goes. Writes docs/benchmarks.md.

A figure is that of a whole command: its start, the self-test of the sandbox and the canary count.
References are computed before. Processor seconds are those of the command and all its children.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import median

from nbgrader.api import Gradebook

from bench.stages import STAGES, Stages, measured
from formatlab.measure import device_card
from nbjudge.course.publish import publish
from nbjudge.grading.config.folders import Course, Project

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT = "day-50"
SUBMISSIONS = 4
ROUNDS = 3
PAGE = ROOT / "docs" / "benchmarks.md"
PACKAGES = ("torch", "onnx", "onnxruntime", "nbgrader", "ipykernel")
# nbgrader's own settings alone: what `course publish` writes hands the work to this engine.
STOCK = "c = get_config()\nc.CourseDirectory.course_id = {course_id!r}\nc.CourseDirectory.root = {root!r}\n"
TEXT = """# How fast grading is

`make bench` wrote this page. {submissions} perfect submissions of `{assignment}` were graded {rounds} times by nbgrader and by this
engine, in turn, one submission at a time. Each figure is the median of whole commands, with the smallest and the largest in
brackets. Compare the figures with one another, not with those of another machine.

Measured on {day}, on: {device}. Load average of the machine before: {load:.1f}.

| | seconds | processor seconds | processor seconds a submission |
|---|---|---|---|
{commands}

Processor seconds of this engine divided by nbgrader's, round by round: {ratio}. The marks of both are {same}. Some of the cost
of this engine's command does not grow with the class: its start, the self-test of the sandbox, and the canary, which is two
notebooks that go the whole way before a student's notebook does.

## Where the time of one submission goes

Processor seconds by notebook: the student's `cells`, and the calls of the student's functions for the `cases`; the rest of the
box in which they run (`harness`), the `checks` of the answers, and the `reading` of notebooks.

| | {stages} |
|---{rule}|
{notebooks}

The coordinator used {coordinator:.2f} s. Everything but the student's own work, divided by that work: {overhead:.2f}.
"""


@dataclass(frozen=True)
class Spent:
    """What one command took."""

    seconds: float
    cpu_seconds: float


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        course = published(Path(folder) / "ours")
        stock = as_stock(course, Path(folder) / "stock")
        words = ["grade", ASSIGNMENT, "--course", str(course.root), "--force", "--jobs", "1"]
        ours = [sys.executable, "-c", "from nbjudge.cli import main; main()", *words]
        nbgrader = [sys.executable, "-m", "nbgrader", "autograde", ASSIGNMENT, "--force"]
        timed([*ours, "--student", "student-0"], course.root)  # leaves the references in the cache
        load = os.getloadavg()[0]
        runs: dict[str, list[Spent]] = {"this engine": [], "nbgrader": []}
        for number in range(ROUNDS):
            print(f"round {number + 1} of {ROUNDS}", flush=True)
            runs["this engine"].append(timed(ours, course.root))
            runs["nbgrader"].append(timed(nbgrader, stock))
        is_same = marks(course.root) == marks(stock)
        stages = measured(course, ASSIGNMENT)
    PAGE.write_text(page(runs, stages, load, is_same), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written")


def published(folder: Path) -> Course:
    """Return a course with the assignment published and the instructor's solutions handed in, with
    the public references that a student has.
    """
    course = Course.at(folder)
    publish(course, Project(ROOT), [ASSIGNMENT], exchange=False)
    for number in range(SUBMISSIONS):
        handed_in = course.submitted / f"student-{number}" / ASSIGNMENT
        shutil.copytree(ROOT / "solutions" / ASSIGNMENT, handed_in)
        shutil.copytree(ROOT / "labs" / ASSIGNMENT / "references", handed_in / "references")
    return course


def as_stock(course: Course, folder: Path) -> Path:
    """Return a copy of the course that nbgrader grades by itself."""
    shutil.copytree(course.root, folder)
    settings = STOCK.format(course_id=course.course_id, root=str(folder))
    (folder / "nbgrader_config.py").write_text(settings)
    return folder


def timed(command: list[str], folder: Path) -> Spent:
    """Run a command in a folder. Raises CalledProcessError where it fails."""
    began, before = time.monotonic(), os.times()
    environment = {**os.environ, "PYTHONSAFEPATH": "1", "OMP_NUM_THREADS": "1"}
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    after = os.times()
    cpu_seconds = sum(after[2:4]) - sum(before[2:4])  # of children, and of theirs
    return Spent(time.monotonic() - began, cpu_seconds)


def marks(folder: Path) -> dict[str, float]:
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        return {each.student.id: each.score for each in book.assignment_submissions(ASSIGNMENT)}


def page(runs: dict[str, list[Spent]], stages: Stages, load: float, is_same: bool) -> str:
    own, other = runs["this engine"], runs["nbgrader"]
    ratios = [a.cpu_seconds / b.cpu_seconds for a, b in zip(own, other, strict=True)]
    rows = {**stages.notebooks, "together": stages.together}
    return TEXT.format(
        assignment=ASSIGNMENT,
        submissions=SUBMISSIONS,
        rounds=ROUNDS,
        day=f"{date.today():%d %B %Y}",
        device=device_card(PACKAGES),
        load=load,
        commands="\n".join(row(name, several) for name, several in runs.items()),
        ratio=spread(ratios, "{:.2f}".format),
        same="the same" if is_same else "not the same",
        stages=" | ".join(STAGES),
        rule="|---" * len(STAGES),
        notebooks="\n".join(
            f"| {name} | {' | '.join(f'{spent[stage]:.2f}' for stage in STAGES)} |"
            for name, spent in rows.items()
        ),
        coordinator=stages.coordinator,
        overhead=stages.overhead,
    )


def row(name: str, runs: list[Spent]) -> str:
    seconds, cpu = [run.seconds for run in runs], [run.cpu_seconds for run in runs]
    each = median(cpu) / SUBMISSIONS
    return f"| {name} | {spread(seconds)} | {spread(cpu)} | {each:.1f} |"


def spread(values: list[float], show: Callable[[float], str] = "{:.1f}".format) -> str:
    return f"{show(median(values))} [{show(min(values))}, {show(max(values))}]"


if __name__ == "__main__":
    main()
