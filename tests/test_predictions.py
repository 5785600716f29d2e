"""Predictions: a right answer counts however it is typed, and a wrong one never."""

import numpy as np
import onnxruntime as ort
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
    ("400 111", 400111),
    ("-3.4e38", -3.4e38),
    ("\N{MINUS SIGN}3.4e38", -3.4e38),
    ("∞", float("inf")),
    ("infinity", float("inf")),
    ("0,5", 0.5),
    ("1/8", 0.125),
    ("half", 0.5),
    ("27 %", 0.27),
    ("100 %", 100),
    ("102 MB", 102),
    ("4 times", 4),
    ("about 20", 20),
    ("opset 18", 18),
    ("two", 2),
    ("Two files", 2),
    ("none", 0),
    (0.1, np.float32(0.1)),
    (0.3, 0.1 + 0.2),
    ((2,), 2),
    (18, "18"),
    (8, "8 bits"),
    ("y", True),
    ("No.", False),
    (False, "no"),
    ("same", "the same"),
    ("Default domain.", "the default domain"),
    ("(c)", "c"),
    (["c"], "c"),
    ("ENABLE_ALL", ["ENABLE_ALL"]),
    (3, [3]),
    ("0, 2", [0, 2]),
    ("by_value and until", ["by_value", "until"]),
    ("[0, 2]", [0, 2]),
    ({"a", "b"}, {"b", "a"}),
    ("b, a", {"a", "b"}),
    (None, []),
    ("none", []),
    (np.array([1.0, 2.0]), [1, 2]),
    (b" ", b" "),
    (" ", b" "),
    (0x20, b" "),
    ("space", b" "),
    (ort.GraphOptimizationLevel.ORT_ENABLE_ALL, "ORT_ENABLE_ALL"),
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
    ("0,5", 5),
    ("1,5", 15),
    ("102k", 102),
    ("2 or 3", 2),
    ("2 to 10", 2),
    (2, "2 to 10"),
    ("half", 2),
    (None, 0),
    (True, 1),
    (1, True),
    ("none", "no"),
    ("nothing", False),
    ("", "yes"),
    ("", b" "),
    ("", ["a"]),
    ("ab", {"a", "b"}),
    ([["a"]], {"a", "b"}),
    (["a", "a"], {"a", "b"}),
    ("a", ["a", "b"]),
    (["a", "b"], "a"),
    (10**400, 2.5),
    (2_240_000_001, 2_240_000_000),
    (2049.5, 2049),
    (b"  ", b" "),
]


@pytest.mark.parametrize(("guess", "found"), RIGHT)
def test_a_right_answer_counts_however_it_is_typed(guess, found, capsys):
    assert is_right(guess, found)
    compare(guess, found)
    assert capsys.readouterr().out.endswith("Right.\n")


@pytest.mark.parametrize(("guess", "found"), WRONG)
def test_a_wrong_answer_does_not(guess, found):
    assert not is_right(guess, found)


def test_the_same_items_in_another_order_are_called_so(capsys):
    """Whether the order counts, the question says: a list of rows, or a time before and after."""
    compare(["until", "by_value"], ["by_value", "until"])
    compare([2, 2, 0], [2, 0, 2])
    assert capsys.readouterr().out.count("The same items, in another order.") == 2
    compare([2, 0, 0], [2, 0, 2])
    assert "Not this time" in capsys.readouterr().out


def test_a_page_may_give_other_names_of_what_was_found(capsys):
    for guess in ("", "ai.onnx", "the default domain"):
        compare(guess, "the default domain", also=("", "ai.onnx"))
        assert capsys.readouterr().out.endswith("Right.\n")
    assert not is_right("com.microsoft", "the default domain", also=("", "ai.onnx"))


@pytest.mark.parametrize("guess", [..., [...], (..., 2)])
def test_dots_are_no_prediction_yet(guess, capsys):
    compare(guess, [1, 2])
    assert "none yet" in capsys.readouterr().out


@given(st.integers(1, 10**9), st.floats(-0.02, 0.02))
def test_the_tolerance_that_a_page_grants_holds_and_no_other(found, off):
    guess = found * (1 + off)
    assert is_right(str(guess), found, within=0.01) or abs(off) > 0.0099
    assert abs(off) < 0.0102 or not is_right(guess, found, within=0.01)
    assert is_right(guess, found) == (guess == found)


NUMBERS = st.integers() | st.floats(allow_nan=False)


@given(st.one_of(NUMBERS, st.text(), st.booleans(), st.lists(NUMBERS), st.lists(st.text())))
def test_what_was_found_is_right_also_as_text(found):
    assert is_right(found, found) and is_right(str(found), found)
