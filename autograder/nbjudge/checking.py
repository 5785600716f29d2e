"""`check`: what the locked test cell of a lab calls."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from nbjudge import exercises, typed
from nbjudge import practice as practising
from nbjudge.asking import observed
from nbjudge.boxes.inside import collect
from nbjudge.contract import Case, Exercise, Reference
from nbjudge.display import show
from nbjudge.references import BadReferences, folder_of, read_references
from nbjudge.verdict import Verdict

PASSED = (
    "These were the cases that ship with the lab. The mark is decided by hidden cases: others, made the same way. "
    "To draw such cases yourself, "
)
# What to do next: in a notebook, and after `course check`.
DRAW = "call check with practice=True in a cell of your own.", "add --practice to the command."
AGAIN = (
    "Run your function's cell again after each change, then this one.",
    "Save the notebook after each change, then type the command again.",
)


class CheckFailed(AssertionError):
    """The answer breaks a rung, or `check` was not called as it must be. Notebooks show its one
    line and no traceback.
    """

    def _render_traceback_(self) -> list[str]:
        return [f"CheckFailed: {self}"]


def check(
    exercise_id: str,
    *functions: Callable[..., Any],
    practice: bool = False,
    seed: int | None = None,
) -> None:
    """Show how many of the exercise's points `functions` earn on the cases that ship with the lab.

    With `practice`, fresh cases of every hidden kind come after them: a draw by chance, or the one
    that `seed` numbers. Functions are taken in the order in which the exercise names them. The
    expected results are read from `references/<exercise>.safetensors` in the working directory,
    which is the notebook's own folder, or else from the package that the exercise is installed with.
    While a submission is graded, the functions are handed to the grader instead, and nothing is
    shown.

    Raises CheckFailed when a rung is broken, when a function is missing or too many, when no
    exercise has that id, and when the expected results are missing or do not belong to this version
    of the course.
    """
    if collect.armed():
        if not practice and seed is None:
            collect.collect(exercise_id, *functions)
        return
    practice, seed = _practice(practice, seed)
    exercise = named_exercise(exercise_id)
    named = with_names(exercise, functions, "check")
    if practice:
        draw, verdict = practice_verdict(exercise, named, Path.cwd(), seed)
        show(verdict, _practised(exercise, draw, verdict), draw)
    else:
        verdict = public_verdict(exercise, named, Path.cwd())
        show(verdict, _here(AGAIN) if verdict.broken else PASSED + _here(DRAW))
    if verdict.broken:
        what = f"the rung “{verdict.broken.name}” is broken"
        if verdict.lost:
            what += f", which costs “{verdict.lost[0].title}”"
        raise CheckFailed(f"{exercise_id}: {what}; what was expected and found stands above.")


def public_verdict(
    exercise: Exercise, functions: Mapping[str, Callable[..., Any]], folder: Path
) -> Verdict:
    """The verdict on the public cases, against the references in `folder`. Raises CheckFailed when
    they are missing or do not fit.

    In a student's own JupyterLab what judges is installed, and loaded here; the runner's box, where
    marks are at stake, has none of it.
    """
    cases = exercise.public_cases()
    return _climb(exercise, functions, cases, _references(exercise, cases, folder))


def practice_verdict(
    exercise: Exercise,
    functions: Mapping[str, Callable[..., Any]],
    folder: Path,
    wanted: int | None = None,
) -> tuple[int, Verdict]:
    """The number of a practice draw, and the verdict on the public cases and its cases. Raises
    CheckFailed as `public_verdict`.
    """
    try:
        draw = practising.choose(folder_of(exercise.id, folder), exercise.id, wanted)
    except practising.NoDraw as error:
        raise CheckFailed(str(error)) from None
    public = exercise.public_cases()
    fresh = practising.cases(exercise, draw)
    references = {
        **_references(exercise, public, folder),
        **_references(exercise, fresh, folder, draw),
    }
    return draw, _climb(exercise, functions, [*public, *fresh], references)


def _climb(
    exercise: Exercise,
    functions: Mapping[str, Callable[..., Any]],
    cases: list[Case],
    references: Mapping[str, Reference],
) -> Verdict:
    from nbjudge.rungs.ladder import climb

    answers = {}
    for case in cases:
        with tempfile.TemporaryDirectory() as scratch:
            answers[case.name] = observed(exercise, functions, case, Path(scratch))
    return climb(exercise, cases, answers, references)


def named_exercise(exercise_id: str) -> Exercise:
    """The exercise with that id. Raises CheckFailed."""
    try:
        return exercises.get(exercise_id)
    except exercises.UnknownExercise as error:
        close = difflib.get_close_matches(str(exercise_id), exercises.ids(), n=1)
        raise CheckFailed(
            f"{error}. Did you mean {close[0]!r}?" if close else f"{error}."
        ) from None


def with_names(
    exercise: Exercise, functions: tuple[Callable[..., Any], ...], caller: str
) -> dict[str, Callable[..., Any]]:
    """The functions that `caller` was given, by their names. Raises CheckFailed."""
    names = list(exercise.functions)
    call = f'{caller}("{exercise.id}", {", ".join(names)})'
    if len(functions) != len(names):
        raise CheckFailed(
            f"{exercise.id}: {len(functions)} functions were given, {len(names)} are needed. Write {call}."
        )
    for name, function in zip(names, functions, strict=True):
        if not callable(function):
            kind = type(function).__name__
            raise CheckFailed(
                f"{exercise.id}: {name} is not a function but of type {kind}. Give the function itself, not what it returns: {call}."
            )
    return dict(zip(names, functions, strict=True))


def _references(
    exercise: Exercise, cases: list[Case], folder: Path, draw: int | None = None
) -> Mapping[str, Reference]:
    """The expected results of the public cases, or of those of a practice draw."""
    place = folder_of(exercise.id, folder)
    path = place / f"{exercise.id}.safetensors"
    if draw:
        path = practising.path(place, exercise.id, draw)
    again = _again(folder)
    try:
        references = read_references(path)
    except FileNotFoundError:
        where = "It comes with the lab, in the folder references/ beside the notebook: run the notebook in the lab's own folder."
        raise CheckFailed(f"{path} is missing. {where} {again}") from None
    except BadReferences as error:
        raise CheckFailed(f"{error}. {again}") from None
    if {case.name for case in cases} <= references.keys():
        return references
    raise CheckFailed(f"{path} belongs to another version of the course. {again}")


def _again(folder: Path) -> str:
    """How the references of the lab in `folder` are to be had again, by who reads it."""
    if release := typed.release_of(folder):
        return f"To write it again, type `{release}`."
    return "If it is not there, fetch the assignment again."


def _practice(practice: bool, seed: int | None) -> tuple[bool, int | None]:
    """Whether to practise, and with which draw: as called, or as `course check` was."""
    variable = os.environ.get(practising.VARIABLE)
    if practice or seed is not None or variable is None:
        return practice or seed is not None, seed
    return True, int(variable) if variable else None


def _here(advice: tuple[str, str]) -> str:
    """Of advice for a notebook and for a terminal, the one for where `check` was called."""
    return advice[typed.TYPED in os.environ]


def _practised(exercise: Exercise, draw: int, verdict: Verdict) -> str:
    repeat = _here((f"practice=True, seed={draw}", f"--practice --seed {draw}"))
    look = f'`practice.cases(exercises.get("{exercise.id}"), {draw})` holds its cases (from nbjudge import exercises, practice).'
    drawn = f"Practice draw {draw}: fresh cases of every kind that a grader draws. The same ones again: {repeat}."
    return f"{drawn} {look if verdict.broken else 'Another draw, another set of cases.'}"
