"""What holds of every exercise, whatever it asks: its cases, and answers that are none."""

from dataclasses import replace

import pytest

from nbjudge.contract.authored import ExerciseBroken
from nbjudge.exercises import get
from tests.mutants import answers, climb, exercises_with_mutants, reference_functions, right

SEED = 11
EVERY = pytest.mark.parametrize(
    "exercise", [get(name) for name in exercises_with_mutants()], ids=lambda each: each.id
)
# Hidden cases that no seed changes, because there is one way to be empty, or to be damaged so.
FIXED = {
    "quantize": ("zero",),
    "calibration": ("zero",),
    "integer_layer": ("zero",),
    "safetensors": ("no_bytes", "nothing", "code", "deep"),
}
# What the harness writes into an answer, outside the student's process.
OURS = {"log.bin"}
# What a student's process may leave in the place of an answer or of the report on a call.
NO_ANSWERS = (
    b"",
    b"[]",
    b"\xff",
    b"x" * 40,
    b"\x08\x0a",
    b'{"result": 1, "refusals": {}}',
    b'{"argument_changed": 0, "again": "same", "taken": true}',
)


def described(cases):
    return [(case.name, case.public, case.seed, case.files, case.parameters) for case in cases]


@EVERY
def test_cases_follow_their_seed_and_only_that(exercise):
    first = exercise.cases(SEED)
    assert described(first) == described(exercise.cases(SEED))
    fixed = FIXED.get(exercise.id, ())
    others = {case.name: case for case in exercise.cases(SEED + 1)}
    assert sorted(others) == sorted(case.name for case in first)
    for one in first:
        other = others[one.name]
        is_same = (one.files, one.parameters) == (other.files, other.parameters)
        assert not is_same or any(word in one.name for word in fixed) or one.seed != other.seed


@EVERY
def test_public_cases_are_the_same_for_every_seed_and_no_two_have_a_name(exercise):
    public = exercise.public_cases()
    assert all(case.public for case in public)
    assert not any(case.public for case in exercise.cases(SEED))
    graded = exercise.graded_cases(SEED)
    assert described(case for case in graded if case.public) == described(public)
    names = [case.name for case in graded]
    assert len(set(names)) == len(names)


@EVERY
def test_bytes_that_are_no_answer_earn_a_tenth_at_most(exercise):
    """And upset no judge: whatever is wrong with them is a finding."""
    cases, answers, references = solved(exercise)
    for data in NO_ANSWERS:
        forged = {
            case.name: replace(answers[case.name], files={**answers[case.name].files, **lies})
            for case in cases
            if (lies := dict.fromkeys(set(right(exercise, case).files) - OURS, data))
        }
        verdict = climb(exercise, cases, {**answers, **forged}, references)
        assert verdict.broken and verdict.score <= exercise.points / 10, data


@EVERY
def test_a_missing_reference_is_never_a_mark(exercise):
    """A judge that needs none gives the same verdict; any other one fails, which is no mark."""
    if exercise.id == "torchscript":
        pytest.skip("a case of it may have a reference that holds nothing")
    cases, answers, references = solved(exercise)
    try:
        verdict = climb(exercise, cases, answers, {})
    except ExerciseBroken:
        return
    assert verdict == climb(exercise, cases, answers, references)


def solved(exercise):
    """The public cases, the reference's answers to them, and the digests of these."""
    cases = exercise.public_cases()
    found = answers(exercise, reference_functions(exercise.id), cases)
    return cases, found, {case.name: exercise.digest(case, found[case.name]) for case in cases}
