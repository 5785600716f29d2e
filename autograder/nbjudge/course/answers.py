"""`course answers`: the stored answers of an exercise, graded as a class's are, and held against
what they declare.
"""

from __future__ import annotations

import copy
import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nbjudge import exercises, sections
from nbjudge.contract import Exercise
from nbjudge.contract.authored import imported
from nbjudge.course.generating import read_notebooks
from nbjudge.course.stored import AnswersError, Stored, read
from nbjudge.findings import Misconception, declared
from nbjudge.grading.config.folders import Project
from nbjudge.grading.document.cells import Notebook, is_code, is_solution
from nbjudge.grading.execution.checker import judge
from nbjudge.grading.execution.runner import run_notebook
from nbjudge.grading.published.asked_exercises import in_notebooks
from nbjudge.grading.reference.references import compute
from nbjudge.verdict import Verdict

SEED = 20261


@dataclass(frozen=True)
class Outcome:
    """What a stored answer got, and what is wrong with that; empty where nothing is."""

    answer: Stored
    verdict: Verdict
    problem: str

    def __str__(self) -> str:
        """Points, and the rung that broke with the misconception that explains it."""
        broken = self.verdict.broken
        why = "every rung passed"
        if broken:
            known = f" ({broken.misconception})" if broken.misconception else ""
            why = f"{broken.name}{known}"
        if lost := self.verdict.lost:
            why = f"loses {', '.join(item.name for item in lost)}: {why}"
        got = f"{self.verdict.score:g} of {self.verdict.max_score:g}, {why}"
        return f"{self.answer.name}: {self.problem or got}"


def grade(project: Project, exercise_id: str) -> Iterator[Outcome]:
    """Each stored answer, in the sandbox, on the public cases and on hidden ones. Raises
    AnswersError.
    """
    solution = _solution(project, exercise_id)
    exercise = exercises.get(exercise_id)
    exercise.refuse_misplaced(SEED)
    answers = read(_folder(exercise_id) / "answers")
    cases = exercise.graded_cases(SEED)
    references = compute(solution, exercise_id, cases)
    for answer in answers:
        run = run_notebook(_with(solution, answer.source), {exercise_id: cases})
        verdict = judge(exercise_id, cases, run.answers[exercise_id], references)
        declares = answer.problem(exercise)
        differs = declares or _differs(answer, exercise, verdict)
        problems = (differs, _dead_end(project, verdict))
        yield Outcome(answer, verdict, "; ".join(filter(None, problems)))


def misconceptions(exercise_id: str) -> dict[str, Misconception]:
    """Those that the exercise's own judge declares, by their ids."""
    exercises.get(exercise_id)
    folder = _folder(exercise_id)
    modules = [
        imported(f"{exercises.module_of(folder)}.judge.{path.stem}")
        for path in sorted((folder / "judge").glob("*.py"))
    ]
    return {one.id: one for module in modules for one in declared(module) if one.id}


def _folder(exercise_id: str) -> Path:
    """Where the exercise lies. Raises UnknownExercise."""
    folder = exercises.find(exercise_id)
    if folder is None:
        raise exercises.UnknownExercise(exercise_id)
    return folder


def unproved(exercise_id: str, answers: Iterable[Stored]) -> list[str]:
    """The items that no stored answer loses while it earns another one: nothing shows that they tell
    one answer from another.
    """
    exercise = exercises.get(exercise_id)
    names = {item.name for item in exercise.items}
    lost = [answer.lost(exercise) for answer in answers]
    partly = set().union(*(one for one in lost if names - one))
    return [item.name for item in exercise.items if item.name not in partly]


def undeclared(exercise: Exercise) -> str:
    """What is wrong with what the exercise's stored answers declare, if it has any: an item that is
    not there, or one that an answer earns which does none of the work. Empty where nothing is.
    """
    folder = exercises.find(exercise.id)
    if folder is None or not (folder / "answers").is_dir():
        return ""
    for answer in read(folder / "answers"):
        if problem := answer.problem(exercise):
            return f"{exercise.id}/answers/{answer.name}.py: {problem}"
    return ""


def _differs(answer: Stored, exercise: Exercise, verdict: Verdict) -> str:
    """In what the verdict is another than declared; empty where it is that."""
    broken = verdict.broken
    texts = f"{broken.expected} | {broken.found} | {broken.cause}" if broken else ""
    rung, shows = (broken.name, broken.misconception) if broken else (None, "")
    found = {
        _marked_otherwise(answer, exercise, verdict): True,
        f"{_rung(rung)}, not {_rung(answer.rung)}": rung != answer.rung,
        f"no {answer.message!r} in its words: {texts}": answer.message not in texts,
        f"the misconception {shows or 'without a name'}, not {answer.shows}": (
            answer.shows and answer.shows != shows
        ),
    }
    words = "; ".join(words for words, is_so in found.items() if words and is_so)
    return f"it gets {words}" if words else ""


def _marked_otherwise(answer: Stored, exercise: Exercise, verdict: Verdict) -> str:
    """How what it earns is another than declared."""
    lost = {item.name for item in verdict.lost}
    declared = answer.lost(exercise)
    said = [
        *(f"the item {name} lost" for name in sorted(lost - declared)),
        *(f"the item {name} earned" for name in sorted(declared - lost)),
    ]
    return f"{', '.join(said)}, not as declared" if said else ""


def _rung(name: str | None) -> str:
    return f"the rung {name}" if name else "no broken rung"


def _dead_end(project: Project, verdict: Verdict) -> str:
    """What is wrong with the section to which the verdict sends its reader."""
    read = verdict.broken.read if verdict.broken else ""
    problem = sections.problem(read, project.root) if read else ""
    return f"it sends to {read!r}, and {problem}" if problem else ""


def _solution(project: Project, exercise_id: str) -> Notebook:
    """The first notebook in solutions/ that checks the exercise. Raises AnswersError."""
    checked: dict[str, Notebook] = {}
    for name in project.assignments():
        notebooks = read_notebooks(project.solutions / name)
        for found, own in in_notebooks(notebooks).items():
            checked.setdefault(found, notebooks[own])
    if exercises.find(exercise_id) is None:
        close = difflib.get_close_matches(exercise_id, exercises.ids(), n=1)
        hint = (
            f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(exercises.ids())}"
        )
        raise AnswersError(f"there is no exercise {exercise_id!r}; {hint}")
    if exercise_id not in checked:
        raise AnswersError(
            f"no notebook below {project.solutions} checks {exercise_id!r}: one of its test cells has to call check"
        )
    return checked[exercise_id]


def _with(solution: Notebook, source: str) -> Notebook:
    """The notebook with the answer in its first solution cell, and nothing in the others."""
    handed_in = copy.deepcopy(dict(solution))
    cells = [cell for cell in handed_in["cells"] if is_code(cell) and is_solution(cell)]
    for cell in cells:
        cell["source"] = source if cell is cells[0] else ""
    return handed_in
