"""The exercise sensitivity: the text asks for the best set of layers, so each case on which a search
goes astray leads it astray whatever the seed.
"""

from formatlab_exercises.sensitivity.judge import cases
from nbjudge.exercises import get
from nbjudge.rungs.ladder import climb
from tests.mutants import answers, mutants, reference_functions
from tests.seeds import seeds

EXERCISE = get("sensitivity")
STORED = {mutant.name: mutant.functions for mutant in mutants("sensitivity")}
# Searches that do not compare sets, and the case that leads each of them astray.
ASTRAY = {
    "one_after_the_other": "one-large-or-two-new",
    "most_for_its_bytes": "large-or-small-new",
    "one_copy_each": "shared-weight-new",
}


@seeds(8, 2)
def test_a_search_that_does_not_compare_sets_is_wrong_for_every_seed(seeds):
    for seed in seeds:
        several = [case for case in EXERCISE.cases(seed) if case.name in ASTRAY.values()]
        assert graded(STORED["valid_masks"], several) == set(), seed
        for name, case in ASTRAY.items():
            assert case in graded(STORED[name], several), (seed, name)


def test_a_kind_on_which_a_search_goes_astray_is_public_as_well():
    assert {name.removesuffix("-new") for name in ASTRAY.values()} <= set(cases.PUBLIC)


def graded(functions, several):
    """The names of the cases on which an answer has chosen wrongly."""
    right = answers(EXERCISE, reference_functions("sensitivity"), several)
    kept = {case.name: EXERCISE.digest(case, right[case.name]) for case in several}
    broken = climb(EXERCISE, several, answers(EXERCISE, functions, several), kept).broken
    assert broken is None or broken.name == "numerics"
    return {failure.case for failure in broken.failed} if broken else set()
