"""`course release`: solutions/ -> labs/ and the public references, generated aside, validated, then
swapped in by one rename.
"""

from __future__ import annotations

import itertools
import os
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
from safetensors.numpy import load

from nbjudge import boxes, exercises
from nbjudge.contract import Case, Exercise
from nbjudge.contract.authored import ExerciseBroken
from nbjudge.course import assistants, draws, fitness, given_cells, rehearsal, release_settings
from nbjudge.course.answers import undeclared
from nbjudge.course.generating import (
    ReleaseError,
    authored,
    convert,
    read_notebooks,
    write_notebook,
)
from nbjudge.course.stored import AnswersError
from nbjudge.grading import CONFIG
from nbjudge.grading.config.budget import Budget
from nbjudge.grading.config.folders import Project
from nbjudge.grading.document.cells import Notebook, is_answer, is_grade, known_metadata
from nbjudge.grading.execution.checker import CheckFault, digest, judge
from nbjudge.grading.execution.sandboxes import Sandboxes, spread
from nbjudge.grading.faults.faults import Fault
from nbjudge.grading.faults.policy import Place, Way
from nbjudge.grading.marks.views import blind
from nbjudge.grading.published.asked_exercises import in_notebook, in_notebooks
from nbjudge.grading.published.atomic import swap
from nbjudge.grading.published.skeletons import version_of
from nbjudge.grading.reference.references import keep, solve
from nbjudge.practice import seed_of
from nbjudge.references import keep_or_write

Say = Callable[[str], None]
# Of each case, by name.
Arrays = Mapping[str, Mapping[str, np.ndarray]]


def in_silence(line: str) -> None:
    """Nobody wants to hear what is being done."""


def release(
    project: Project,
    assignments: Sequence[str] = (),
    say: Say = in_silence,
    practice: int | None = None,
    budget: Budget | None = None,
    *,
    seed: int | None = None,
) -> list[str]:
    """Generate `labs/<assignment>` for the assignments (all by default). Raises ReleaseError and
    changes nothing when one is not fit.

    `practice` is how many draws of fresh cases each exercise gets; as many as labs/ holds by
    default. With a `seed`, each solution runs on the hidden cases of that seed in the same run, so that
    grading with it finds its references. `budget` is how long a notebook with plain tests may take, as in grading.
    `say` hears what is being done, a line at a time: the solutions of many exercises take minutes.
    """
    names = _chosen(project, assignments)
    if unused := release_settings.unused(project.solutions):
        say(
            f"{project.root / CONFIG} sets what a release does not use: {', '.join(unused)}. The other commands read "
            f"the {CONFIG} of the course folder (`--course`)"
        )
    project.build.mkdir(exist_ok=True)
    temporary = tempfile.TemporaryDirectory(prefix="release-", dir=project.build)
    with temporary as folder:
        fresh = Path(folder)
        for name in names:
            say(f"{name}: generating")
            generate(project.solutions, fresh / name, name)
            for line in _unseen(project.solutions, name, fresh / name):
                say(f"{name}: {line}")
            add_references(project, name, fresh / name, say, practice, seed=seed)
            _rehearse(project, name, fresh / name, say, budget)
            if (references := fresh / name / "references").is_dir():
                given_cells.write(references, read_notebooks(fresh / name))
        project.labs.mkdir(exist_ok=True)
        for name in names:
            swap(fresh / name, project.labs / name)
    return names


def _rehearse(
    project: Project, assignment: str, released: Path, say: Say, budget: Budget | None
) -> None:
    """Say what an instructor should know of an assignment. Raises ReleaseError where a plain test
    does not give the solution its points.
    """
    for remark in fitness.remarks(project.solutions, assignment):
        say(f"{assignment}: warning: {remark}")
    try:
        for lab, remarks in rehearsal.rehearse(project.solutions, assignment, released, budget):
            if lab.tests:
                say(f"{assignment}: {Path(lab.where).stem} earns every point of its tests")
            for remark in remarks:
                say(f"{assignment}: warning: {remark}")
    except rehearsal.NotRehearsed as error:
        raise ReleaseError(
            f"the solution of {assignment} cannot be run here, and is not released untried: {error}"
        ) from None


def generate(solutions: Path, target: Path, assignment: str) -> None:
    """One assignment's student notebooks and files into `target`; no gradebook is touched. Raises
    ReleaseError.
    """
    fitness.require(solutions, assignment)
    own = read_notebooks(solutions / assignment)
    written = authored(solutions, assignment)
    convert(solutions, target, assignment)
    notebooks = read_notebooks(target)
    regions = release_settings.regions(solutions)
    before = release_settings.header_cells(solutions)
    for name, notebook in notebooks.items():
        where = f"{solutions.name}/{assignment}/{name}.ipynb"
        fitness.require_nothing_left(where, notebook, written[name], regions)
        _validate(where, name, notebook, written[name], regions)
        _keep_ids(notebook, own[name])
        fitness.with_every_machines_kernel(notebook)
        _protect_given(notebook, own[name], first=before)
    for name, notebook in notebooks.items():
        notebook["metadata"]["nbjudge"] = {"version": version_of({name: notebook})}
        write_notebook(target / f"{name}.ipynb", notebook)
    if in_notebooks(notebooks):
        assistants.write(target, solutions)


def _unseen(solutions: Path, assignment: str, target: Path) -> Iterator[str]:
    """What whoever marks by hand will not see."""
    written = authored(solutions, assignment)
    released = read_notebooks(target)
    for name, notebook in released.items():
        for grade_id, names in blind(written[name], notebook).items():
            yield (
                f"{name}.ipynb: {grade_id} uses {', '.join(names)}, which only a hidden test defines. What the "
                "marker sees of an answer behind a hidden test comes from a run without it, so this one will "
                "end with an error: define it in a cell that students see"
            )


def _chosen(project: Project, assignments: Sequence[str]) -> list[str]:
    known = project.assignments()
    if unknown := sorted(set(assignments) - set(known)):
        raise ReleaseError(
            f"{project.solutions.name}/ has no assignment {unknown[0]!r}; it has: {', '.join(known)}"
        )
    return [name for name in known if not assignments or name in assignments]


def _validate(
    where: str,
    name: str,
    notebook: Notebook,
    written: Notebook,
    regions: Sequence[release_settings.Region],
) -> None:
    """What a student must find: the exercise's own test cell, and the heads of its functions."""
    own = [name] if exercises.find(name) else []
    asked = [_found(where, each) for each in {*own, *in_notebook(notebook)}]
    _require_cells(where, notebook, asked)
    _require_functions(where, notebook, written, asked, regions)


def _require_cells(where: str, notebook: Notebook, asked: Collection[Exercise]) -> None:
    """Raises ReleaseError unless each exercise has its test cell, worth its points."""
    points = {
        meta["grade_id"]: meta.get("points")
        for meta in map(known_metadata, filter(is_grade, notebook["cells"]))
    }
    for exercise in asked:
        if points.get(exercise.grade_id) != exercise.points:
            raise ReleaseError(
                f"{where} must hold the test cell {exercise.grade_id!r} worth {exercise.points:g} points; "
                f"it has {points or 'no graded cell'}"
            )


def _require_functions(
    where: str,
    notebook: Notebook,
    written: Notebook,
    asked: Collection[Exercise],
    regions: Sequence[release_settings.Region],
) -> None:
    """Raises ReleaseError when a function's head is lost although its cell has marks, or what looks
    like them. Without any, nbgrader replaces the whole cell, and students write the head, too.
    """
    [begin, end] = next(one.shown for one in regions if one.kind == "SOLUTION")
    released = "\n".join(_sources(notebook))
    for name in (name for exercise in asked for name in exercise.functions):
        head = re.compile(rf"^\s*(async )?def {name}\(|^{name}\b.*=", re.MULTILINE)
        marked = any(
            fitness.marks_in(source, regions) for source in _sources(written) if head.search(source)
        )
        if marked and not head.search(released):
            raise ReleaseError(
                f"{where} would be released without {name}: its solution cell needs the lines "
                f"`{begin}` and `{end}` below the function's head"
            )


def _sources(notebook: Notebook) -> list[str]:
    """Those of the code cells."""
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _found(where: str, exercise_id: str) -> Exercise:
    try:
        return exercises.get(exercise_id)
    except exercises.UnknownExercise as error:
        raise ReleaseError(f"{where} checks {exercise_id!r}: {error}") from None


def _keep_ids(notebook: Notebook, written: Notebook) -> None:
    """Where the author's cells have no ids, or the same one twice, nbformat draws ids: here each
    release draws the same. So it does for a header and a footer, which any notebook may share.
    """
    taken = {cell.get("id") for cell in written["cells"]}
    seen: set[str] = set()
    for number, cell in enumerate(notebook["cells"]):
        if "id" in cell and (cell["id"] not in taken or cell["id"] in seen):
            fresh = (f"cell-{number}" + "-" * more for more in itertools.count())
            cell["id"] = next(name for name in fresh if name not in taken)
            taken.add(cell["id"])
        seen.add(cell.get("id"))


def _protect_given(notebook: Notebook, written: Notebook, *, first: int) -> None:
    """JupyterLab neither edits nor deletes given cells: grading would reset them. A header and a
    footer, which stand around the written cells, ask for a student's name. So does a given cell that
    its author made editable ask for something: a prediction, an input to try.
    """
    count = len(written["cells"])
    for number, cell in enumerate(notebook["cells"]):
        if not first <= number < first + count:
            cell["metadata"]["editable"] = True
        elif not is_answer(cell):
            asks = written["cells"][number - first]["metadata"].get("editable") is True
            cell["metadata"] |= {"editable": asks, "deletable": False}


def add_references(
    project: Project,
    assignment: str,
    target: Path,
    say: Say = in_silence,
    practice: int | None = None,
    *,
    seed: int | None = None,
) -> None:
    """References from the instructor's own cells, for the public cases and for practice. Raises
    ReleaseError.

    The cells must earn every point on those cases.
    """
    before = project.labs / assignment
    folder = target / "references"
    count = draws.held(before) if practice is None else practice
    notebooks = authored(project.solutions, assignment)
    solutions = {name: notebooks[own] for name, own in in_notebooks(notebooks).items()}

    def computed(exercise: Exercise, sandboxes: Sandboxes) -> tuple[Arrays, int]:
        solution = solutions[exercise.id]
        try:
            exercise.refuse_misplaced(seed_of(1))
            problem = undeclared(exercise)
        except (ExerciseBroken, AnswersError) as error:
            raise ReleaseError(str(error)) from None
        if problem:
            raise ReleaseError(problem)
        cases = exercise.public_cases()
        if not cases:
            raise ReleaseError(f"{exercise.id} has no public case, so its check has nothing to try")
        public = _references(exercise, solution, cases, sandboxes, seed)
        if not count:
            return public, 0
        drawn = draws.write(
            exercise,
            solution,
            before=before / "references",
            target=folder,
            count=count,
            compute=partial(_references, sandboxes=sandboxes),
        )
        return public, drawn

    asked = [exercises.get(name) for name in solutions]
    new = 0
    each = spread(asked, computed, len(os.sched_getaffinity(0)))
    for done, (exercise, (arrays, drawn)) in enumerate(each, 1):
        folder.mkdir(exist_ok=True)
        name = f"{exercise.id}.safetensors"
        keep_or_write(folder / name, arrays, before=before / "references" / name)
        say(f"{assignment}: {exercise.id} earns every point, {done} of {len(solutions)}")
        new += drawn
    if new:
        say(f"{assignment}: {new} of {count * len(solutions)} practice draws are new")


def _references(
    exercise: Exercise,
    solution: Notebook,
    cases: Sequence[Case],
    sandboxes: Sandboxes,
    seed: int | None = None,
) -> Arrays:
    """The references of cases that the solution earns every point on. Those of a `seed` are computed
    beside them, and kept for grading.
    """
    judging = (f"judge:{exercise.id}",)
    graded = exercise.graded_cases(seed) if seed is not None else []
    every = {case.name: case for case in (*cases, *graded)}
    with _told(exercise.id):
        answers = solve(solution, exercise.id, list(every.values()), sandboxes)
        computed = digest(
            exercise.id,
            list(every.values()),
            answers,
            start=sandboxes.check,
            imports=judging,
            observe=sandboxes.observe,
        )
        if graded:
            keep(solution, exercise.id, graded, computed)
        references = {case.name: computed[case.name] for case in cases}
        verdict = judge(
            exercise.id,
            cases,
            answers,
            references,
            start=sandboxes.check,
            imports=judging,
            observe=sandboxes.observe,
        )
    if verdict.broken:
        rung = verdict.broken
        raise ReleaseError(
            f"the solution of {exercise.id} breaks its own rung {rung.name} on case {rung.case}: {rung.found}"
        )
    return {case: load(data) for case, data in references.items()}


@contextmanager
def _told(exercise_id: str) -> Iterator[None]:
    """What keeps a solution from being run and judged is a ReleaseError."""
    returns_else = f"the solution of {exercise_id} does not return what its exercise asks for"
    try:
        yield
    except boxes.BoxFailure as error:
        last = str(error).strip().splitlines()[-1]
        raise ReleaseError(f"{returns_else} ({last})") from None
    except Fault as error:
        if broken := error.of_the_exercise:
            mend = "mend that code, or what the solution returns"
            raise ReleaseError(
                f"the solution of {exercise_id} cannot be judged: {broken}: {mend}"
            ) from None
        is_box = (error.place, error.way) == (Place.CHECKER, Way.FAULT)
        raise ReleaseError(f"{returns_else} ({error.detail})" if is_box else str(error)) from None
    except (CheckFault, boxes.SandboxUnavailable) as error:
        raise ReleaseError(str(error)) from None
