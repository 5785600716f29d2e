"""The seed decides nothing: every kind of case occurs for every seed, and a wrong answer gets the
same mark.
"""

import pytest

from nbjudge.exercises import get
from tests.mutants import (
    SEEN_ON_LARGE_ALONE,
    cases_of,
    exercises_with_mutants,
    forget,
    grade_on,
    mutants,
)
from tests.seeds import seeds

# Whose stored answers take more than 20 s for one seed.
COSTLY = (
    *("capstone", "control_flow", "dropout", "export", "gemm", "layernorm", "mend_export"),
    *("int8_dynamic", "int8_static", "saturation", "sensitivity", "torchscript"),
)
NAMES = exercises_with_mutants()


@pytest.mark.parametrize("exercise", NAMES)
@seeds(40, 3)
def test_the_same_kinds_of_cases_occur_for_every_seed(exercise, seeds):
    kinds = sorted(case.name for case in get(exercise).cases(20261))
    for seed in seeds:
        assert sorted(case.name for case in get(exercise).cases(seed)) == kinds, seed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("exercise", "seed"),
    [(name, seed) for name in NAMES for seed in range(3 if name in COSTLY else 10)],
)
def test_an_answer_gets_the_same_mark_whatever_the_seed(exercise, seed):
    assert wrong_marks(exercise, seed) == {}


def wrong_marks(exercise, seed):
    """The stored answers that get another mark, or break another rung, than they declare."""
    cases = cases_of(exercise, seed, large=False)
    found = {}
    for stored in mutants(exercise):
        if stored.name not in SEEN_ON_LARGE_ALONE.get(exercise, ()):
            given = grade_on(exercise, stored.functions, seed, cases)
            rung, share = given.broken and given.broken.name, given.score / given.max_score
            if rung != stored.rung or share != pytest.approx(stored.score, abs=0.005):
                found[stored.name] = (rung, share)
    forget()
    return found
