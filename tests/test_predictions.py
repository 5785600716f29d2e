"""Predictions: a right answer counts however it is typed, and a wrong one never."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formatlab.predictions import compare, is_right

RIGHT = [
    ("102", 102),
    (102, "102"),
    (" 102 ", 102),
    ("400,111", 400111),
    ("400_111", 400111),
    (1e2, 100),
    ("0.5", np.float32(0.5)),
    ("No", "no"),
    ("YES", "yes"),
    ("no", False),
    (True, "yes"),
    ("true", np.bool_(True)),
    ("ReferenceEvaluator", "ReferenceEvaluator"),
    ("`relu`", "Relu"),
    (("a", "B"), ["a", "b"]),
    (["1", 2], np.array([1, 2])),
    (["b", "a"], {"a", "b"}),
    (float("nan"), float("nan")),
    ("nan", "nan"),
]
WRONG = [
    ("103", 102),
    ("no", True),
    ("no", "yes"),
    (["a"], ["a", "b"]),
    (["b", "a"], ["a", "b"]),
    ("", 0),
    (None, "no"),
    ("a", {"a", "b"}),
    (1.01, 1),
]


@pytest.mark.parametrize(("guess", "found"), RIGHT)
def test_a_right_answer_counts_however_it_is_typed(guess, found, capsys):
    assert is_right(guess, found)
    compare(guess, found)
    assert capsys.readouterr().out.endswith("Right.\n")


@pytest.mark.parametrize(("guess", "found"), WRONG)
def test_a_wrong_answer_does_not(guess, found):
    assert not is_right(guess, found)


@given(st.integers(1, 10**9), st.floats(-0.02, 0.02))
def test_the_tolerance_that_a_page_grants_holds_and_no_other(found, off):
    guess = found * (1 + off)
    assert is_right(str(guess), found, within=0.01) or abs(off) > 0.0099
    assert abs(off) < 0.0102 or not is_right(guess, found, within=0.01)
    assert is_right(guess, found) == (guess == found)


@given(st.one_of(st.integers(), st.text(), st.booleans(), st.lists(st.integers())))
def test_what_was_found_is_right_also_as_text(found):
    assert is_right(found, found) and is_right(str(found), found)
