"""The references that labs/ holds are those that the solutions give."""

import pytest
from mutants import (
    ROOT,
    SEED,
    cases_of,
    exercises_with_mutants,
    grade_on,
    group_of,
    reference_functions,
    references,
    solutions,
)
from same_references import assert_same_references

from autograder.exercises import get
from autograder.references import read_references

# On the worker that has computed most of them already.
EXERCISES = [
    pytest.param(name, id=name, marks=pytest.mark.xdist_group(group_of(name)))
    for name in exercises_with_mutants()
]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_stored_references_are_those_of_the_solution_which_earns_every_point(exercise):
    """Computed in this process; in boxes among the slow tests of test_release.py."""
    cases = get(exercise).public_cases()
    folder = ROOT / "labs" / solutions()[exercise].parent.name / "references"
    stored = read_references(folder / f"{exercise}.safetensors")
    assert_same_references(exercise, references(exercise, SEED, cases), stored)
    small = [case for case in cases_of(exercise, large=False) if case.public]
    assert grade_on(exercise, reference_functions(exercise), SEED, small).broken is None
