"""What `make matrix` shows besides the marks that test_mutants.py holds: what lazy answers earn, and
pages that can be read.
"""

import pytest

from tests import matrix
from tests.matrix_pages import page, summary
from tests.mutants import exercises_with_mutants, grade, group_of, hinted_functions

# On the worker that grades the same answers: an answer is graded once there.
EXERCISES = [
    pytest.param(name, id=name, marks=pytest.mark.xdist_group(group_of(name)))
    for name in exercises_with_mutants()
]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_code_of_the_hints_earns_a_tenth_at_most_as_it_stands(exercise):
    given = grade(exercise, hinted_functions(exercise), large=False)
    assert matrix.share(given) <= 0.1


def test_a_page_shows_each_answer_and_nothing_of_one_run():
    whole = matrix.matrix("inspect")
    shown = page(whole)
    assert all(f"| `{answer['name']}` |" in shown for answer in whole["answers"])
    assert matrix.OF_ONE_RUN.search(str(whole)) is None
    assert f"{len(whole['answers'])} in all" in summary([whole])
