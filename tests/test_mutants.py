"""Every stored answer gets the mark that it declares, for the reason that it declares, and valid answers are never marked down."""

from collections import Counter

import pytest
from mutants import exercises_with_mutants, grade, kill_matrix, mutants, reference_functions, verdict


def together(exercise, *values, name="", group=""):
    """Parameters of tests that share a worker: an answer is graded once there, however many tests look at its verdict."""
    return pytest.param(exercise, *values, id=f"{exercise}{name}", marks=pytest.mark.xdist_group(f"mutants-{exercise}{group}"))


NAMES = exercises_with_mutants()
EXERCISES = [together(exercise) for exercise in NAMES]
SEEDED = [together(exercise, group="-seeds") for exercise in NAMES]
ANSWERS = [together(exercise, mutant, name=f"-{mutant.name}") for exercise in NAMES for mutant in mutants(exercise)]
VALID = [
    together(exercise, mutant, name=f"-{mutant.name}", group="-seeds")
    for exercise in NAMES
    for mutant in mutants(exercise)
    if mutant.rung is None
]
# 200 where a case costs milliseconds.
SEEDS = {"inspect": range(200)}
FEW_SEEDS = range(3)


def message(rung):
    return f"{rung.expected} | {rung.found} | {rung.cause}"


@pytest.mark.parametrize(("exercise", "mutant"), ANSWERS)
def test_an_answer_gets_the_mark_that_it_declares(exercise, mutant):
    given = verdict(exercise, mutant.name)
    broken = given.broken
    assert (broken.name if broken else None) == mutant.rung, broken
    assert given.score / given.max_score == pytest.approx(mutant.score, abs=0.005)
    assert broken is None or mutant.message in message(broken), message(broken)
    assert broken is None or mutant.message, "a wrong answer declares a fragment of its message"


@pytest.mark.parametrize("exercise", EXERCISES)
def test_no_two_wrong_answers_get_the_same_message(exercise):
    wrong = [mutant for mutant in mutants(exercise) if mutant.rung is not None]
    seen = Counter(message(verdict(exercise, mutant.name).broken) for mutant in wrong)
    assert {text: count for text, count in seen.items() if count > 1} == {}


@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_exercise_has_the_answers_that_prove_its_rungs(exercise):
    stored = {mutant.name: mutant for mutant in mutants(exercise)}
    assert stored["empty"].score == 0
    assert sum(mutant.rung is None and mutant.score == 1 for mutant in stored.values()) >= 2
    assert sum(mutant.rung is not None for name, mutant in stored.items() if name != "empty") >= 6
    assert all((mutant.rung is None) == (mutant.score == 1) for mutant in stored.values())


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_kill_matrix_shows_every_rung_that_an_answer_breaks(exercise):
    matrix = kill_matrix(exercise)
    for mutant in mutants(exercise):
        assert (False in matrix[mutant.name].values()) == (mutant.rung is not None)
        assert mutant.rung is None or matrix[mutant.name][mutant.rung] is False


@pytest.mark.parametrize("exercise", SEEDED)
def test_the_reference_is_right_on_many_seeds(exercise):
    for seed in SEEDS.get(exercise, FEW_SEEDS):
        given = grade(exercise, reference_functions(exercise), seed)
        assert given.score == given.max_score, (seed, given.broken)


@pytest.mark.parametrize(("exercise", "mutant"), VALID)
def test_a_valid_answer_is_right_on_many_seeds(exercise, mutant):
    for seed in SEEDS.get(exercise, FEW_SEEDS):
        given = grade(exercise, mutant.functions, seed)
        assert given.score == given.max_score, (seed, given.broken)
