"""Climb an exercise's ladder: every rung on every case, one `Verdict` at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from autograder.contract import Answer, Case, Exercise, Finding, Reference, RungSpec
from autograder.verdict import SHOWN_FAILURES, Failure, Rung, Tally, Verdict, score

MISSING = Answer("missing")


def climb(
    exercise: Exercise,
    cases: Sequence[Case],
    answers: Mapping[str, Answer],
    references: Mapping[str, Reference],
    progress: Callable[[str, str], None] = lambda rung, case: None,
) -> Verdict:
    """Evaluate every rung whose input exists, and score the exercise by its points and caps.

    A rung that can look at fewer than half of the cases, because the others broke a gate, is not evaluated: an answer that
    fails on purpose wherever it does not know the result earns nothing for the few that it knows.
    `progress` is told each rung and case before it is looked at, so that a checker that dies tells where.
    """
    alive = list(cases)
    views = {case.name: exercise.view(case, answers.get(case.name, MISSING), references.get(case.name, {})) for case in cases}
    rungs, wrong = [], set()
    for spec in exercise.rungs:
        broken: list[tuple[Case, Finding]] = []
        asked, able = (_of(spec, exercise, these) for these in (cases, alive))
        if 2 * len(able) < len(asked):
            able = []
        looked_at = [case for case in asked if answers.get(case.name, MISSING).outcome == "returned"] if spec.every_case else able
        for case in looked_at:
            progress(spec.name, case.name)
            finding = spec.inspect(views[case.name])
            if finding is not None:
                broken.append((case, finding))
        rungs.append(_rung(spec, broken, len(looked_at)))
        wrong.update(case.name for case, _ in broken)
        if spec.gate:
            gone = {case.name for case, _ in broken}
            alive = [case for case in alive if case.name not in gone]
    return Verdict(exercise.id, score(tuple(rungs), exercise.points), exercise.points, tuple(rungs), _tallies(exercise, cases, wrong))


def _of(spec: RungSpec, exercise: Exercise, cases: Sequence[Case]) -> Sequence[Case]:
    """Those of the cases that the rung is about."""
    return [case for case in cases if exercise.function_of(case) == spec.function] if spec.function else cases


def _tallies(exercise: Exercise, cases: Sequence[Case], wrong: set[str]) -> tuple[Tally, ...]:
    """How each function fares, where a case calls one of several: a function that is wrong does not hide that another one is right."""
    called: dict[str, list[str]] = {}
    for case in cases:
        called.setdefault(exercise.function_of(case), []).append(case.name)
    called.pop("", None)
    return tuple(Tally(name, len(names), len(set(names) - wrong)) for name, names in called.items()) if len(called) > 1 else ()


def _rung(spec: RungSpec, broken: list[tuple[Case, Finding]], looked_at: int) -> Rung:
    if not looked_at:
        return Rung(spec.name, spec.points, None, title=spec.title)
    if not broken:
        return Rung(spec.name, spec.points, True, cases=looked_at, title=spec.title)
    case, finding = broken[0]
    mostly = len(broken) == looked_at or (spec.slip and 2 * len(broken) > looked_at)
    cap = spec.cap_all if mostly else spec.cap_some
    failed = tuple(Failure(each.name, why.found) for each, why in broken[:SHOWN_FAILURES])
    # A share, less the same share again and again: one slip costs little, and a guess that is right now and then earns nothing.
    earned = round(spec.points * max(0.0, 1 - spec.slip * len(broken) / looked_at), 4) if spec.slip else 0.0
    return Rung(
        spec.name,
        spec.points,
        False,
        cap,
        case.name,
        finding.expected,
        finding.found,
        finding.cause,
        finding.read,
        cases=looked_at,
        wrong=len(broken),
        failed=failed,
        earned=earned,
        misconception=finding.misconception,
        title=spec.title,
    )
