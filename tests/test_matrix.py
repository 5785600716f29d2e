"""The stored kill matrices and their pages are those of the exercises as they are; `make matrix`
writes them.
"""

import matrix
import pytest
from matrix_pages import LAZY, page, summary
from mutants import exercises_with_mutants, grade, group_of, hinted_functions, mutants, verdict

NAMES = sorted(path.stem for path in matrix.FOLDER.glob("*.json"))
# On the worker that grades the same answers: an answer is graded once there.
EXERCISES = [
    pytest.param(name, id=name, marks=pytest.mark.xdist_group(group_of(name))) for name in NAMES
]
AGAIN = "write it again: make matrix EXERCISES={}"


@pytest.mark.parametrize("exercise", NAMES)
def test_a_stored_matrix_is_of_the_exercise_as_it_is(exercise):
    stored, now = matrix.read(exercise), matrix.declared(exercise)
    facts = now.keys() - {"answers"}
    assert {key: stored[key] for key in facts} == {key: now[key] for key in facts}, AGAIN.format(
        exercise
    )
    kept = [{key: answer[key] for key in now["answers"][0]} for answer in stored["answers"]]
    assert kept == now["answers"], AGAIN.format(exercise)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_its_rows_are_what_the_answers_get(exercise):
    stored = {answer["name"]: answer["rungs"] for answer in matrix.read(exercise)["answers"]}
    now = {
        mutant.name: matrix.outcome(verdict(exercise, mutant.name))["rungs"]
        for mutant in mutants(exercise)
    }
    assert stored == now, AGAIN.format(exercise)


@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_matrix_that_is_computed_again_is_the_stored_one(exercise):
    assert without_words(matrix.matrix(exercise)) == without_words(matrix.read(exercise)), (
        AGAIN.format(exercise)
    )


def without_words(found):
    """Words quote numbers of a model, whose last digits depend on the processor."""
    return {
        **found,
        "answers": [
            {key: value for key, value in answer.items() if key != "says"}
            for answer in found["answers"]
        ],
    }


def test_the_pages_are_those_of_the_stored_matrices():
    stored = [matrix.read(name) for name in NAMES]
    for one in stored:
        assert (matrix.FOLDER / f"{one['exercise']}.md").read_text() == page(one)
        assert matrix.OF_ONE_RUN.search(str(one)) is None
    assert (matrix.FOLDER / "README.md").read_text() == summary(stored)


@pytest.mark.parametrize("exercise", exercises_with_mutants())
def test_an_answer_that_does_not_do_the_work_earns_a_tenth_at_most(exercise):
    lazy = [mutant for mutant in mutants(exercise) if mutant.lazy]
    assert {mutant.name: mutant.score for mutant in lazy if mutant.score > 0.1} == {}
    assert {mutant.lazy for mutant in lazy} <= LAZY.keys() - {"hint"}
    assert "stub" in {mutant.lazy for mutant in lazy}


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_code_of_the_hints_earns_a_tenth_at_most_as_it_stands(exercise):
    earned = matrix.share(grade(exercise, hinted_functions(exercise), large=False))
    assert earned <= 0.1
    assert earned == matrix.read(exercise)["hint"], AGAIN.format(exercise)
