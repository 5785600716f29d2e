"""Every stored answer gets the mark that it declares, for the reason that it declares, and valid
answers are never marked down.
"""

from collections import Counter

import pytest

from nbjudge.contract import Answer
from nbjudge.exercises import get
from tests.mutants import (
    LARGE,
    exercises_with_mutants,
    grade,
    grade_refusing,
    group_of,
    kill_matrix,
    misconceptions,
    mutants,
    reference_functions,
    verdict,
)
from tests.seeds import seeds


def together(exercise, *values, name=""):
    """Parameters of tests that share a worker: an answer is graded once there, however many tests
    look at its verdict.
    """
    return pytest.param(
        exercise,
        *values,
        id=f"{exercise}{name}",
        marks=pytest.mark.xdist_group(group_of(exercise)),
    )


NAMES = exercises_with_mutants()
EXERCISES = [together(exercise) for exercise in NAMES]
ANSWERS = [
    together(exercise, mutant, name=f"-{mutant.name}")
    for exercise in NAMES
    for mutant in mutants(exercise)
]
LARGEST = [
    together(exercise, mutant, name=f"-{mutant.name}")
    for exercise in LARGE
    for mutant in mutants(exercise)
]
# Exercises whose cases cost milliseconds: 200 seeds.
QUICK = ("inspect",)
QUICK_EXERCISES = [together(exercise) for exercise in QUICK]
# All but the quick ones: three seeds besides the one that every answer is graded on.
SLOWER = [together(exercise) for exercise in NAMES if exercise not in QUICK]
VALID = [
    together(*param.values, mutant, name=f"-{mutant.name}")
    for param in SLOWER
    for mutant in mutants(*param.values)
    if not mutant.rung
]
QUICK_VALID = [
    together(name, mutant, name=f"-{mutant.name}")
    for name in QUICK
    for mutant in mutants(name)
    if not mutant.rung
]


def message(rung):
    return f"{rung.expected} | {rung.found} | {rung.cause}"


@pytest.mark.parametrize(("exercise", "mutant"), ANSWERS)
def test_an_answer_gets_the_mark_that_it_declares(exercise, mutant):
    assert mutant.problem == ""
    assert_as_declared(verdict(exercise, mutant.name), mutant)


@pytest.mark.slow
@pytest.mark.parametrize(("exercise", "mutant"), LARGEST)
def test_an_answer_gets_the_same_mark_with_the_large_cases(exercise, mutant):
    assert_as_declared(verdict(exercise, mutant.name, large=True), mutant)


def assert_as_declared(given, mutant):
    broken = given.broken
    assert (broken.name if broken else None) == mutant.rung, broken
    assert {item.name for item in given.lost} == mutant.loses, given.lost
    assert given.score / given.max_score == pytest.approx(mutant.score, abs=0.005)
    assert broken is None or mutant.message in message(broken), message(broken)
    is_told = mutant.message or given.items
    assert broken is None or is_told, "a wrong answer declares a fragment of its message"
    assert broken is None or not mutant.shows or broken.misconception == mutant.shows, (
        broken.misconception
    )


@pytest.mark.parametrize("exercise", EXERCISES)
def test_no_two_mistakes_get_the_same_message(exercise):
    wrong = [mutant for mutant in mutants(exercise) if mutant.rung is not None and not mutant.lazy]
    seen = {(message(verdict(exercise, mutant.name).broken), mutant.shows) for mutant in wrong}
    counted = Counter(text for text, _ in seen)
    assert {text: count for text, count in counted.items() if count > 1} == {}


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_misconception_has_an_answer_that_shows_it_and_every_wrong_answer_shows_one(exercise):
    wrong = [mutant for mutant in mutants(exercise) if mutant.rung]
    assert [mutant.name for mutant in wrong if not mutant.shows] == []
    assert set(misconceptions(exercise)) - {mutant.shows for mutant in wrong} == set()


@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_exercise_has_the_answers_that_prove_its_rungs(exercise):
    stored = {mutant.name: mutant for mutant in mutants(exercise)}
    assert stored["empty"].score == 0
    assert sum(mutant.rung is None and mutant.score == 1 for mutant in stored.values()) >= 2
    assert sum(mutant.rung is not None for name, mutant in stored.items() if name != "empty") >= 6
    assert all((mutant.rung is None) == (mutant.score == 1) for mutant in stored.values())


@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_answer_that_does_not_do_the_work_earns_a_tenth_at_most(exercise):
    lazy = [mutant for mutant in mutants(exercise) if mutant.lazy]
    if get(exercise).items:  # then it earns nothing, but for what it says
        lazy = []
    assert {mutant.name: mutant.score for mutant in lazy if mutant.score > 0.1} == {}
    lazy = [mutant for mutant in mutants(exercise) if mutant.lazy]
    assert "stub" in {mutant.lazy for mutant in lazy} <= {"stub", "argument", "constant", "library"}


@pytest.mark.parametrize("exercise", EXERCISES)
def test_each_item_has_a_wrong_answer_that_loses_it(exercise):
    names = {item.name for item in get(exercise).items}
    wrong = [mutant.loses for mutant in mutants(exercise) if mutant.rung and not mutant.lazy]
    assert names - frozenset().union(*wrong) == set()
    assert any(names - lost for lost in wrong), "they tell one item from another"


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_kill_matrix_shows_every_rung_that_an_answer_breaks(exercise):
    matrix = kill_matrix(exercise)
    for mutant in mutants(exercise):
        assert (False in matrix[mutant.name].values()) == (mutant.rung is not None)
        assert mutant.rung is None or matrix[mutant.name][mutant.rung] is False


@pytest.mark.parametrize("error", ["NotImplementedError", "ValueError"])
@pytest.mark.parametrize("exercise", EXERCISES)
def test_refusing_a_third_of_the_cases_costs_a_third_of_the_points(exercise, error):
    """It must not pay to raise wherever one does not know the answer."""
    outcome = "missing" if error == "NotImplementedError" else "raised"
    given = grade_refusing(exercise, Answer(outcome, error={"type": error}), every=3)
    if given.items:  # each refused case costs the items that hold it, and no other item
        refused = {case for item in given.lost for case in item.failed}
        assert refused
        assert all(item.passed for item in given.items if not refused.intersection(item.failed))
        return
    assert given.score <= given.max_score * 2 / 3 + 1e-3, given.broken


def assert_full_marks(exercise, functions, seeds, large=True):
    for seed in seeds:
        given = grade(exercise, functions, seed, large)
        assert given.score == given.max_score, (seed, given.broken)


@seeds(200, 5)
@pytest.mark.parametrize("exercise", QUICK_EXERCISES)
def test_the_reference_is_right_on_two_hundred_seeds(exercise, seeds):
    assert_full_marks(exercise, reference_functions(exercise), seeds)


@seeds(200, 5)
@pytest.mark.parametrize(("exercise", "mutant"), QUICK_VALID)
def test_a_valid_answer_is_right_on_two_hundred_seeds(exercise, mutant, seeds):
    assert_full_marks(exercise, mutant.functions, seeds)


@pytest.mark.slow
@pytest.mark.parametrize("exercise", SLOWER)
def test_the_reference_is_right_on_many_seeds(exercise):
    assert_full_marks(exercise, reference_functions(exercise), range(3))


@pytest.mark.slow
@pytest.mark.parametrize(("exercise", "mutant"), VALID)
def test_a_valid_answer_is_right_on_many_seeds(exercise, mutant):
    assert_full_marks(exercise, mutant.functions, range(3))
