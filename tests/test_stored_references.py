"""The references that labs/ holds are those that the solutions give."""

import pytest

from nbjudge.exercises import get
from nbjudge.references import read_references
from tests.mutants import (
    ROOT,
    SEED,
    exercises_with_mutants,
    grade_on,
    group_of,
    reference_functions,
    references,
    solutions,
)
from tests.same_references import assert_same_references

# On the worker that has computed most of them already.
EXERCISES = [
    pytest.param(name, id=name, marks=pytest.mark.xdist_group(group_of(name)))
    for name in exercises_with_mutants()
]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_solution_gives_the_stored_references_and_earns_every_point(exercise):
    """In this process; in boxes among the slow tests of test_release.py."""
    cases = get(exercise).public_cases()
    now = references(exercise, SEED, cases)
    folder = ROOT / "labs" / solutions()[exercise].parent.name / "references"
    assert_same_references(exercise, now, read_references(folder / f"{exercise}.safetensors"))
    assert grade_on(exercise, reference_functions(exercise), SEED, cases).broken is None
