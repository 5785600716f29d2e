"""The seed decides nothing: every kind of case occurs for every seed, and a wrong answer gets the
same mark.
"""

import pytest
from mutants import SEEN_ON_LARGE_ALONE, exercises_with_mutants, forget, grade, mutants
from seeds import seeds

from autograder.exercises import get

# Whose cases need an export or a runtime for each: some seconds a seed.
COSTLY = ("capstone", "control_flow", "export", "int8_dynamic", "int8_static", "torchscript")
NAMES = exercises_with_mutants()


@pytest.mark.parametrize("exercise", NAMES)
@seeds(40, 3)
def test_the_same_kinds_of_cases_occur_for_every_seed(exercise, seeds):
    kinds = sorted(case.name for case in get(exercise).cases(20261))
    for seed in seeds:
        assert sorted(case.name for case in get(exercise).cases(seed)) == kinds, seed


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 20))
@pytest.mark.parametrize("exercise", NAMES)
def test_an_answer_gets_the_same_mark_whatever_the_seed(exercise, first):
    stored = [
        one for one in mutants(exercise) if one.name not in SEEN_ON_LARGE_ALONE.get(exercise, ())
    ]
    for seed in range(first, first + (1 if exercise in COSTLY else 20)):
        found = {
            one.name: mark(grade(exercise, one.functions, seed, large=False)) for one in stored
        }
        assert found == {
            one.name: (one.rung, pytest.approx(one.score, abs=0.005)) for one in stored
        }, seed
        forget()


def mark(given):
    return given.broken and given.broken.name, given.score / given.max_score
