"""What people without a grader can find out: of the stored wrong answers, public cases catch most,
and practice catches all.
"""

import pytest

from nbjudge import practice
from nbjudge.exercises import get
from tests.mutants import (
    LARGE,
    SEED,
    SEEN_ON_LARGE_ALONE,
    cases_of,
    exercises_with_mutants,
    grade_on,
    group_of,
    mutants,
)

AT_LEAST = 0.8
# On the worker that grades the same answers: an answer to a case is asked for once there.
EXERCISES = [
    pytest.param(name, id=name, marks=pytest.mark.xdist_group(group_of(name)))
    for name in exercises_with_mutants()
]


def wrong(exercise):
    return [mutant for mutant in mutants(exercise) if mutant.rung]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_public_cases_alone_catch_four_wrong_answers_of_five(exercise):
    cases = [case for case in cases_of(exercise, large=False) if case.public]
    missed = [
        mutant.name
        for mutant in wrong(exercise)
        if grade_on(exercise, mutant.functions, SEED, cases).broken is None
    ]
    assert len(missed) <= (1 - AT_LEAST) * len(wrong(exercise)), missed


# Each breaks a condition that the text of its lab names, and nothing else.
NAMED = {
    "fp16": ("finite_masks", "keeps_infinities", "largest_number"),
    "gemm": (
        *("bias_rank", "made_up_names_refused", "product_as_declared", "second_factor_unchecked"),
        *("bias_lost", "one_level_deep", "outputs_forgotten", "single_precision_only"),
    ),
    "layernorm": ("any_axes", "last_axis_only", "rms_too", "statistics_dropped"),
    "shapes": ("one_table", "invented_names", "skips_graph_lists", "main_graph_only"),
}


@pytest.mark.parametrize(
    "exercise",
    [pytest.param(name, marks=pytest.mark.xdist_group(group_of(name))) for name in NAMED],
)
def test_a_difficulty_that_the_lab_names_is_among_the_public_cases(exercise):
    cases = [case for case in cases_of(exercise, large=False) if case.public]
    stored = {mutant.name: mutant for mutant in mutants(exercise)}
    for name in NAMED[exercise]:
        assert grade_on(exercise, stored[name].functions, SEED, cases).broken, name


@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_practice_draw_catches_every_wrong_answer(exercise):
    drawn = [*get(exercise).public_cases(), *practice.cases(get(exercise), 1)]
    small = [case for case in drawn if case.name not in LARGE.get(exercise, ())]
    for mutant in wrong(exercise):
        cases = drawn if mutant.name in SEEN_ON_LARGE_ALONE.get(exercise, ()) else small
        assert grade_on(exercise, mutant.functions, practice.seed_of(1), cases).broken, mutant.name
