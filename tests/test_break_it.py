"""The wrong functions that readers break: they pass the public cases of their labs, and each fails on
a small input.
"""

import numpy as np
import pytest
from onnx import parser

from formatlab.models import make_model
from formatlab_exercises.shared import break_it
from nbjudge.exercises import get
from tests.mutants import grade_few, reference_functions

WRONG = {"quantize": break_it.QUANTIZE, "dropout": break_it.DROPOUT}


def model(text):
    return make_model(parser.parse_graph(text))


BROKEN_BY = {
    "quantize": {
        "first": ([-1.0], False),
        "second": ([1e-9], False),
        "third": ([0.0], True),
    },
    "dropout": {
        "first": model("g (float[2] x) => (float[2] y) { y = Dropout(x) }"),
        "second": model("""
            g (float[2] x, int64 n, bool go) => (float[2] y)
            { y = Loop <body = inner (int64 i, bool go_in, float[2] h) => (bool go_out, float[2] z)
              { go_out = Identity(go_in) z = Dropout(h) }> (n, go, x) }
        """),
        "third": model("g (float[2] x) => (float[2] h, float[2] y) { h = Relu(x) y = Dropout(h) }"),
    },
}
SHOWS_NOTHING = {
    "quantize": ([-1.0, 2.0, np.inf], False),
    "dropout": model("g (float[2] x) => (float[2] y) { h = Dropout(x) y = Relu(h) }"),
}
CALL = {"quantize": break_it.break_quantize, "dropout": break_it.break_dropout}
EVERY = [(exercise, name) for exercise, wrong in WRONG.items() for name in wrong]


def own(exercise):
    [function] = reference_functions(exercise).values()
    return function


@pytest.mark.parametrize(("exercise", "name"), EVERY)
def test_a_wrong_function_passes_the_public_cases(exercise, name):
    [asked] = get(exercise).functions
    wrong = WRONG[exercise][name](own(exercise))
    assert grade_few(exercise, {asked: wrong}, get(exercise).public_cases()).broken is None


@pytest.mark.parametrize(("exercise", "name"), EVERY)
def test_a_small_input_breaks_it_and_another_does_not(exercise, name, capsys):
    CALL[exercise](own(exercise), **{name: BROKEN_BY[exercise][name]})
    shown = capsys.readouterr().out
    assert f"{name}: broken" in shown and shown.count("no input yet") == 2
    CALL[exercise](own(exercise), **{name: SHOWS_NOTHING[exercise]})
    assert f"{name}: the same" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("exercise", "given"),
    [
        ("quantize", ([np.nan], False)),
        ("quantize", ([np.inf], True)),
        ("quantize", [1.0]),
        ("dropout", "a text"),
        ("dropout", model("g (float[2] x) => (float[2] y) { h = Dropout(x) }")),
    ],
)
def test_an_input_on_which_nobody_has_to_be_right_is_refused(exercise, given, capsys):
    CALL[exercise](own(exercise), first=given)
    assert "first: this input is not allowed" in capsys.readouterr().out
