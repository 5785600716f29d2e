"""Plain values as answers: what a call may answer, and what rungs read of it."""

import json

import pytest

from formatlab_exercises.capstone.judge import rungs as capstone
from formatlab_exercises.overflow.judge import rungs as overflow
from nbjudge.contract import Answer, Case, View, WrongType
from nbjudge.rungs import outcome, values
from nbjudge.values import ANSWER, ValueExercise
from nbjudge.wire import MAX_ANSWER

FULL = "x" * (MAX_ANSWER - 2)


class Repeats(ValueExercise):
    functions = {"repeat": "repeat(text) -> str"}  # noqa: RUF012
    minutes = 1


def answered(text):
    case = Case("one", {}, {"arguments": [text]})
    return Repeats().call({"repeat": lambda text: text}, case, None)


def test_an_answer_may_have_a_megabyte():
    answer = Answer("returned", answered(FULL))
    assert values.given(View(Case("one", {}, {}), answer, {})) == FULL
    with pytest.raises(WrongType, match="at most 1 MB"):
        answered(FULL + "x")


@pytest.mark.parametrize(
    ("read", "file", "value"),
    [
        (lambda answer: values.given(View(Case("one", {}, {}), answer, {})), ANSWER, ["x"]),
        (lambda answer: outcome.report(answer, "report.json", a=str), "report.json", {"a": "x"}),
        (overflow.names, overflow.NAMES, ["x"]),
        (capstone.read_passport, capstone.PASSPORT, {"a": "x"}),
    ],
    ids=["value", "report", "names", "passport"],
)
def test_no_rung_reads_more(read, file, value):
    data = json.dumps(value).encode()
    assert read(Answer("returned", {file: data})) == value
    assert read(Answer("returned", {file: data + b" " * MAX_ANSWER})) is None
