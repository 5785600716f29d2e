"""Stored answers as files: written out, or as the difference from another one."""

import pytest

from nbjudge.course.stored import EVERYTHING, AnswersError, Stored, one, read
from nbjudge.exercises import get

WHOLE = '''"""Adds one."""

EXPECTED = {"loses": ["one"], "rung": "numerics"}


def f(x):
    return x + 1
'''
DIFFERENCE = '''"""Adds 2."""

EXPECTED = {{"loses": ["one", "two"], "rung": "numerics"}}
BASE = "{base}"
EDITS = {edits}
'''


@pytest.fixture
def stored(tmp_path):
    """Writes an answer; answers `first/whole` and `first/two` are there."""

    def write(name, base, edits):
        exercise, _, answer = name.partition("/")
        path = tmp_path / exercise / "answers" / f"{answer}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(DIFFERENCE.format(base=base, edits=edits))
        return path

    write("first/two", "whole", [("x + 1", "x + 2")]).with_name("whole.py").write_text(WHOLE)
    return write


def test_an_answer_says_what_it_does_and_what_it_gets(stored):
    answer = one(stored("first/two", "whole", [("x + 1", "x + 2")]))
    assert (answer.about, answer.loses, answer.source) == (
        "Adds 2.",
        ("one", "two"),
        "def f(x):\n    return x + 2",
    )


def test_a_base_may_be_an_answer_of_another_exercise(stored):
    answer = one(stored("second/same", "first/whole", [("def f", "def g")]))
    assert answer.source == "def g(x):\n    return x + 1"


@pytest.mark.parametrize(
    ("base", "edits", "words"),
    [
        ("other", [], "its BASE is 'other', and there is no file .*second/answers/other.py"),
        ("first/other", [], "its BASE is 'first/other', .*first/answers/other.py"),
        ("first/two", [], "its BASE 'first/two' is a difference itself"),
        ("first/whole", [("y + 1", "y + 2")], "0 places in its BASE hold 'y \\+ 1'"),
        ("first/whole", [("x", "y")], "2 places in its BASE hold 'x'"),
    ],
)
def test_a_difference_from_nothing_is_refused_with_its_place(stored, base, edits, words):
    with pytest.raises(AnswersError, match=f"second/answers/wrong.py.*{words}"):
        one(stored("second/wrong", base, edits))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(x): ...", "it has no EXPECTED"),
        ('EXPECTED = {"loses": "one", "rung": None}', r"EXPECTED\['loses'\]: 'one' is not"),
        ('EXPECTED = {"loses": [1], "rung": None}', r"EXPECTED\['loses'\]\[0\]: 1 is not|'loses'"),
        ('EXPECTED = {"score": 0.5, "rung": None}', "'score' was unexpected"),
        ('EXPECTED = {"loses": []}', "'rung' is a required property"),
        ('EXPECTED = {"rung": None, "message": None}', "None is not of type 'string'"),
        ('EXPECTED = {"rung": "type", "lazy": "constnt"}', "'constnt' is not one of"),
        ('EXPECTED = {"rung": "type", "keeps": {"one": ""}}', "'' should be non-empty|too short"),
        ("EXPECTED = dict(score=1)", "line 1: EXPECTED must be written out"),
        ('EXPECTED = {"rung": None}\nBASE = "whole"', "EDITS must be a list of pairs"),
        ("def f(x)", "line 1: SyntaxError"),
    ],
)
def test_what_is_no_answer_says_where_and_why(tmp_path, text, words):
    path = tmp_path / "x" / "answers" / "wrong.py"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    path.with_name("whole.py").write_text(WHOLE)
    with pytest.raises(AnswersError, match=f"wrong.py.*({words})"):
        one(path)


def test_every_file_that_is_no_answer_is_named(tmp_path):
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text("")
    with pytest.raises(AnswersError, match=r"first\.py .*second\.py "):
        read(tmp_path)


def test_what_does_none_of_the_work_earns_nothing_or_says_why():
    exercise = get("quantize")
    names = [item.name for item in exercise.items]

    def problem(**declared):
        return Stored("lazy", "", rung="numerics", lazy="constant", **declared).problem(exercise)

    assert problem(loses=EVERYTHING) == ""
    assert f"earns the item {names[-1]!r}" in problem(loses=tuple(names[:-1]))
    assert problem(loses=tuple(names[:-1]), keeps={names[-1]: "it is right"}) == ""
    assert "names the item 'no'" in problem(loses=("no",))
    assert "breaks a rung if, and only if" in problem(loses=())
