"""A copy of the right answers to the public cases, which everybody has, earns at most a tenth:
hidden cases decide.
"""

from collections.abc import Callable
from difflib import SequenceMatcher
from functools import cache

import pytest

from nbjudge.contract import Answer, Case, Exercise
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import (
    SEED,
    cases_of,
    exercises_with_mutants,
    group_of,
    references,
    right,
)

SHARE = 0.1
# On the worker that has computed the references already.
EXERCISES = [
    pytest.param(name, id=name, marks=pytest.mark.xdist_group(group_of(name)))
    for name in exercises_with_mutants()
]


def of_another(exercise: Exercise, case: Case, copied: Answer) -> Answer:
    """The copy, handed in for a case that it does not belong to; whoever copies asks the case's
    server nothing.
    """
    server = exercise.server(case)
    return Answer("returned", {**copied.files, **server.log()}) if server else copied


def score(exercise: Exercise, cases: list[Case], answers: dict[str, Answer]) -> float:
    seen = {case.name: exercise.judge.observe(case, answers[case.name]) for case in cases}
    return climb(exercise, cases, seen, references(exercise.id, SEED, cases)).score


@pytest.fixture
def copied(name):
    return public_answers(name)


@cache
def public_answers(name: str) -> tuple[Exercise, list[Case], dict[str, Answer]]:
    """The exercise, its cases, and the right answers to the public ones."""
    exercise, cases = get(name), cases_of(name, large=False)
    known = {case.name: right(exercise, case) for case in cases if case.public}
    assert {answer.outcome for answer in known.values()} == {"returned"}
    return exercise, cases, known


@pytest.mark.parametrize("name", EXERCISES)
def test_right_answers_to_the_public_cases_alone_earn_nothing(copied):
    exercise, cases, known = copied
    assert known and len(known) < len(cases)
    raised = Answer(
        "raised", error={"type": "KeyError", "text": "not among the copied ones", "line": ""}
    )
    assert score(exercise, cases, {case.name: known.get(case.name, raised) for case in cases}) == 0


@pytest.mark.parametrize("name", EXERCISES)
def test_one_of_them_for_every_hidden_case_earns_at_most_a_tenth(copied):
    exercise, cases, known = copied
    first = {}
    for case in cases:
        if case.public:
            first.setdefault(exercise.function_of(case), known[case.name])
    assert (
        score(
            exercise,
            cases,
            filled(exercise, cases, known, lambda case: first[exercise.function_of(case)]),
        )
        <= SHARE * exercise.points
    )


@pytest.mark.parametrize("name", [param for param in EXERCISES if param.id != "diagnose"])
def test_the_one_of_the_most_similar_case_earns_at_most_a_tenth(copied):
    """What nobody could know: which public case is made as the hidden one is. To tell that is what
    `diagnose` asks for.
    """
    exercise, cases, known = copied

    def nearest(case: Case) -> Answer:
        same = [
            other
            for other in cases
            if other.public and exercise.function_of(other) == exercise.function_of(case)
        ]
        return known[
            max(same, key=lambda other: SequenceMatcher(None, other.name, case.name).ratio()).name
        ]

    assert (
        score(exercise, cases, filled(exercise, cases, known, nearest)) <= SHARE * exercise.points
    )


def filled(
    exercise: Exercise, cases: list[Case], known: dict[str, Answer], other: Callable[[Case], Answer]
) -> dict[str, Answer]:
    return {
        case.name: known.get(case.name) or of_another(exercise, case, other(case)) for case in cases
    }
