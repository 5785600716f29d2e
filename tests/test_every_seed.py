"""The seed decides nothing: every kind of case occurs for every seed, and a wrong answer gets the same mark."""

import pytest
from mutants import LARGE, exercises_with_mutants, grade, mutants
from seeds import seeds

from autograder.exercises import get

# Whose cases need an export or a runtime for each: some seconds a seed.
COSTLY = ("capstone", "control_flow", "export", "int8_dynamic", "int8_static", "torchscript")
NAMES = exercises_with_mutants()
WRONG = [pytest.param(name, one, id=f"{name}-{one.name}") for name in NAMES for one in mutants(name) if one.rung]


@pytest.mark.parametrize("exercise", NAMES)
@seeds(40, 3)
def test_the_same_kinds_of_cases_occur_for_every_seed(exercise, seeds):
    kinds = sorted(case.name for case in get(exercise).cases(20261))
    for seed in seeds:
        assert sorted(case.name for case in get(exercise).cases(seed)) == kinds, seed


@pytest.mark.slow
@pytest.mark.parametrize(("exercise", "answer"), WRONG)
def test_a_wrong_answer_gets_the_same_mark_whatever_the_seed(exercise, answer):
    for seed in range(5 if exercise in COSTLY or exercise in LARGE else 200):
        given = grade(exercise, answer.functions, seed, large=False)
        found = given.broken and given.broken.name, pytest.approx(given.score / given.max_score, abs=0.005)
        assert found == (answer.rung, answer.score), seed
