"""Reference outputs: the instructor's own solution cells, run once per seed in a box of their own, digested in another, and cached."""

from __future__ import annotations

import contextlib
import itertools
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from safetensors.numpy import load, save

from autograder import exercises
from autograder.contract import Answer, Case, Exercise
from autograder.grading.asked import in_notebooks
from autograder.grading.checker import CheckFault, digest
from autograder.grading.folders import Course, write_private
from autograder.grading.journal import checks_version, key_of
from autograder.grading.runner import run_notebook
from autograder.grading.sandboxes import Sandboxes, imports
from autograder.grading.skeletons import Notebook, Skeleton


class ReferenceFault(CheckFault):
    """The instructor's own solution does not do what its exercise asks. The text names the case."""


@dataclass(frozen=True)
class Prepared:
    """One exercise, ready to be graded: its cases, and the reference of each as safetensors bytes."""

    exercise: str
    notebook: str
    grade_id: str
    cases: tuple[Case, ...]
    references: Mapping[str, bytes]


def prepare(
    course: Course,
    skeleton: Skeleton,
    seed: int,
    jobs: int = 1,
    pretrained: bool = False,
    told: Callable[[int, int, str], None] = lambda done, total, exercise: None,
) -> dict[str, Prepared]:
    """Every exercise of an assignment, with cases for the seed and references (cached where possible), `jobs` at once.

    `told` hears how many of how many are done, and which is the newest. Raises ReferenceFault.
    """
    course.private("references", skeleton.assignment)
    asked = in_notebooks(skeleton.notebooks)
    left, done = deque(asked), itertools.count(1)

    def work() -> list[Prepared]:
        """Exercises until none is left, all in the same boxes: no student's bytes come there."""
        prepared = []
        with Sandboxes() as sandboxes:
            while (name := _next(left)) is not None:
                exercise = exercises.get(name)
                prepared.append(_prepare(course, skeleton, seed, exercise, asked[name], pretrained, sandboxes))
                told(next(done), len(asked), prepared[-1].exercise)
        return prepared

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work) for _ in range(jobs)]
        ready = {prepared.exercise: prepared for future in futures for prepared in future.result()}
    return {name: ready[name] for name in asked}


def _next(left: deque[str]) -> str | None:
    with contextlib.suppress(IndexError):
        return left.popleft()
    return None


def _prepare(
    course: Course, skeleton: Skeleton, seed: int, exercise: Exercise, notebook: str, pretrained: bool, sandboxes: Sandboxes
) -> Prepared:
    cases = exercise.graded_cases(seed, pretrained)
    name = key_of(exercise.id, skeleton.edition, seed, [case.name for case in cases], checks_version())[:24]
    cached = course.private("references", skeleton.assignment) / f"{name}.safetensors"
    if cached.exists():
        packed = load(cached.read_bytes())
        references = {name: packed[name].tobytes() for name in packed}
    else:
        references = compute(skeleton.solutions[notebook], exercise.id, cases, sandboxes)
        write_private(cached, save({name: np.frombuffer(data, np.uint8) for name, data in references.items()}))
    return Prepared(exercise.id, notebook, exercise.grade_id, tuple(cases), references)


def compute(solution: Notebook, exercise_id: str, cases: Sequence[Case], sandboxes: Sandboxes | None = None) -> dict[str, bytes]:
    """The reference arrays of each case, as safetensors bytes. Raises ReferenceFault."""
    answers = solve(solution, exercise_id, cases, sandboxes)
    if sandboxes is None:
        return digest(exercise_id, cases, answers)
    return digest(exercise_id, cases, answers, sandboxes.check, (f"judge:{exercise_id}",))


def solve(solution: Notebook, exercise_id: str, cases: Sequence[Case], sandboxes: Sandboxes | None = None) -> dict[str, Answer]:
    """Run the solution notebook and call its functions on the cases. Raises ReferenceFault unless every case returns."""
    start, trusted = (sandboxes.run, imports(solution)) if sandboxes else (None, ())
    run = run_notebook(solution, {exercise_id: cases}, start=start, imports=trusted)
    answers = run.answers[exercise_id]
    for case in cases:
        answer = answers[case.name]
        if answer.outcome != "returned":
            broken = next(
                (f"; cell {index} of the notebook: {cell.status}" for index, cell in run.cells.items() if cell.status != "ok"), ""
            )
            raise ReferenceFault(f"the solution of {exercise_id} on case {case.name}: {answer.outcome} {dict(answer.error)}{broken}")
    return answers
