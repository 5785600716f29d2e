"""Reference outputs: the instructor's own solution cells, run once per seed in a box of their own,
digested in another, and cached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from nbjudge import exercises
from nbjudge.contract import Answer, Case, Exercise
from nbjudge.contract.authored import ExerciseBroken
from nbjudge.grading.document.cells import Notebook
from nbjudge.grading.execution.checker import CheckFault, digest
from nbjudge.grading.execution.runner import NotebookRun, run_notebook
from nbjudge.grading.execution.sandboxes import Sandboxes, imports, spread
from nbjudge.grading.marks import plain_tests
from nbjudge.grading.published.asked_exercises import in_notebooks
from nbjudge.grading.published.skeletons import Skeleton
from nbjudge.grading.reference import unmodified
from nbjudge.grading.store import cache, case_hashes
from nbjudge.grading.store.case_hashes import ExerciseHashes, of_references
from nbjudge.grading.store.hashes import of_case


class ReferenceFault(CheckFault):
    """The cases cannot be made, or the instructor's own solution does not do what its exercise
    asks. The text says which.
    """


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """One exercise, ready to be graded: its cases, and the reference of each as safetensors bytes.

    `untouched` is what its notebook earns as it was released (`untouched.find`), if that is known.
    """

    exercise: str
    notebook: str
    grade_id: str
    cases: tuple[Case, ...]
    references: Mapping[str, bytes]
    untouched: bytes | None = None

    @property
    def hashes(self) -> ExerciseHashes:
        return ExerciseHashes(
            self.exercise,
            self.notebook,
            tuple(map(of_case, self.cases)),
            of_references(self.references),
        )


def prepare(
    skeleton: Skeleton,
    seed: int,
    *,
    jobs: int = 1,
    pretrained: bool = False,
    progress: Callable[[int, int, str], None] = lambda _done, _total, _exercise: None,
    before: Callable[[], None] = lambda: None,
) -> dict[str, Prepared]:
    """Every exercise of an assignment, with cases for the seed and references (cached where
    possible), `jobs` at once.

    `progress` hears how many of how many are done, and which is the newest. `before` is called, by any
    thread and again and again, before something runs in a box. Raises ReferenceFault.
    """
    notebook_of = in_notebooks(skeleton.notebooks)
    by_notebook: dict[str, list[str]] = {}
    for name, notebook in notebook_of.items():
        by_notebook.setdefault(notebook, []).append(name)

    def work(notebook: str, sandboxes: Sandboxes) -> dict[str, Prepared]:
        own = [exercises.get(name) for name in by_notebook[notebook]]
        prepared = {
            each.id: _prepare(
                skeleton,
                seed,
                exercise=each,
                notebook=notebook,
                pretrained=pretrained,
                sandboxes=sandboxes,
            )
            for each in own
        }
        known = _untouched(skeleton, notebook, prepared, sandboxes)
        return {name: replace(each, untouched=known) for name, each in prepared.items()}

    ready: dict[str, Prepared] = {}
    for _, prepared in spread(list(by_notebook), work, jobs, before):
        for name, each in prepared.items():
            ready[name] = each
            progress(len(ready), len(notebook_of), name)
    return {name: ready[name] for name in notebook_of}


def _untouched(
    skeleton: Skeleton, name: str, prepared: Mapping[str, Prepared], sandboxes: Sandboxes
) -> bytes | None:
    """What the released notebook earns; it depends on what its references depend on, and on these."""
    notebook = plain_tests.with_tests(skeleton.notebooks[name], skeleton.tests()[name])
    inputs = {
        f"{each.exercise} {part}": value
        for each in prepared.values()
        for part, value in {
            **case_hashes.references_depend_on(each.exercise, notebook, each.hashes.cases),
            "references": each.hashes.references,
        }.items()
    }

    def run_released() -> dict[str, bytes]:
        cases = {each.exercise: each.cases for each in prepared.values()}
        references = {each.exercise: each.references for each in prepared.values()}
        found = unmodified.find(notebook, cases, references, sandboxes)
        return {"untouched": found} if found else {}

    return cache.memo("untouched", inputs, run_released).get("untouched")


def _prepare(
    skeleton: Skeleton,
    seed: int,
    *,
    exercise: Exercise,
    notebook: str,
    pretrained: bool,
    sandboxes: Sandboxes,
) -> Prepared:
    cases = _cases(exercise, seed, pretrained)
    solution = skeleton.solutions[notebook]
    hashes = [of_case(case) for case in cases]
    inputs = case_hashes.references_depend_on(exercise.id, solution, hashes)
    references = cache.read(case_hashes.REFERENCES, inputs)
    if references is None:  # an exercise without a case has none, and that is kept, too
        references = compute(solution, exercise.id, cases, sandboxes)
        cache.write(case_hashes.REFERENCES, inputs, references)
    case_hashes.keep_cases(exercise.id, seed, pretrained, hashes)
    return Prepared(
        exercise=exercise.id,
        notebook=notebook,
        grade_id=exercise.grade_id,
        cases=tuple(cases),
        references=references,
    )


def keep(
    solution: Notebook, exercise_id: str, cases: Sequence[Case], references: Mapping[str, bytes]
) -> None:
    """Keep the references of an exercise's cases, computed elsewhere, for `prepare` to find."""
    inputs = case_hashes.references_depend_on(exercise_id, solution, map(of_case, cases))
    cache.write(
        case_hashes.REFERENCES, inputs, {case.name: references[case.name] for case in cases}
    )


def _cases(exercise: Exercise, seed: int, pretrained: bool) -> list[Case]:
    """What an exercise's author wrote runs here: a fault in it, or a file that is not on this
    machine, is a line and no traceback.
    """
    try:
        return exercise.graded_cases(seed, pretrained)
    except ExerciseBroken as error:
        raise ReferenceFault(f"the cases of {exercise.id} cannot be made: {error}") from error
    except Exception as error:
        raise ReferenceFault(
            f"the cases of {exercise.id} cannot be made here: {type(error).__name__}: {error}"
        ) from error


def compute(
    solution: Notebook, exercise_id: str, cases: Sequence[Case], sandboxes: Sandboxes | None = None
) -> dict[str, bytes]:
    """The reference arrays of each case, as safetensors bytes. Raises ReferenceFault."""
    answers = solve(solution, exercise_id, cases, sandboxes)
    if sandboxes is None:
        return digest(exercise_id, cases, answers)
    return digest(
        exercise_id,
        cases,
        answers,
        start=sandboxes.check,
        imports=(f"judge:{exercise_id}",),
        observe=sandboxes.observe,
    )


def solve(
    solution: Notebook, exercise_id: str, cases: Sequence[Case], sandboxes: Sandboxes | None = None
) -> dict[str, Answer]:
    """Run the solution notebook and call its functions on the cases. Raises ReferenceFault unless
    every case returns.
    """
    start, trusted = (sandboxes.run, imports(solution)) if sandboxes else (None, ())
    run = run_notebook(solution, {exercise_id: cases}, start=start, imports=trusted)
    answers = run.answers[exercise_id]
    for case in cases:
        answer = answers[case.name]
        if answer.outcome != "returned":
            what = f"the solution of {exercise_id} on case {case.name}"
            raise ReferenceFault(f"{what}: {_ended(answer)}{_first_broken(run)}")
    return answers


def _ended(answer: Answer) -> str:
    """How a call ended that did not return, in words."""
    said = answer.error
    if answer.outcome == "missing":
        return "no cell defines the function"
    if answer.outcome == "wrong_type":
        return f"it returns {said.get('found')}, not {said.get('expected')}"
    if answer.outcome != "raised":
        return f"the call ended with {answer.outcome!r}"
    line = f", in the line: {said['line']}" if said.get("line") else ""
    return f"it raises {said.get('type')}: {said.get('text')}{line}"


def _first_broken(run: NotebookRun) -> str:
    """The first cell that did not run through, behind what else is said; empty without one."""
    for index, cell in run.cells.items():
        if cell.status != "ok":
            errors = [
                f"{each['ename']}: {each['evalue']}" for each in cell.outputs if each.get("ename")
            ]
            return f"; cell {index + 1} of the notebook ends with {(errors or [cell.status])[0]}"
    return ""
