"""Nothing that a student chose drives a terminal, hides, or changes what stands around it, wherever
it comes out.
"""

import io
import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from nbjudge import plain_text, render
from nbjudge.course.export import export
from nbjudge.course.feedback import feedback
from nbjudge.grading.document import sanitize
from nbjudge.grading.gradebook import record
from nbjudge.grading.marks.results import CellResult, NotebookResult, SubmissionResult
from nbjudge.grading.published import rubric
from nbjudge.grading.run import coordinator, table
from nbjudge.verdict import Rung, Verdict
from tests.grading import small
from tests.grading.small import ASSIGNMENT, NOTEBOOK

EVIL = "\x1b[2J\x1b]0;title\x07\x9b31m\u202eright\u2066\u200b\u2060\ufeff\u00ad\U000e0041\x00\x7f[red]mark[/red][link=http://x]y[/link][/]"
texts = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from([*EVIL, "\ud800", "\u2028", "\u3164", "\u0301", "[", "]", "\\", "="]),
    ),
    max_size=60,
)


def hidden(text, allowed="\n\t"):
    """Characters that nobody sees, or that do something else than stand there."""
    bad = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    return {
        hex(ord(char)) for char in text if unicodedata.category(char) in bad and char not in allowed
    }


@given(texts)
def test_a_text_is_printable_bounded_and_stays_so(text):
    for shape, allowed in ((plain_text.line, ""), (plain_text.block, "\n\t")):
        shown = shape(text)
        assert hidden(shown, allowed) == set() and shape(shown) == shown
        assert len(shape(text, 20)) <= 20
    assert hidden(plain_text.prose(text), "\n\t\u200c\u200d") == set()


@pytest.mark.parametrize(
    "text",
    [
        "naïve café",
        "数式 と 文字",
        "a ≤ b, √2, 50 % → x₁",
        "👍🏽 👩\u200d🔬",
        "\u0645\u06cc\u200c\u062e\u0648",
        "x = [1, 2]\n\tpass",
    ],
)
def test_ordinary_writing_stays_as_it_is(text):
    assert plain_text.prose(text) == text


def test_colours_go_and_everything_else_is_written_out():
    assert plain_text.block("\x1b[1;31mred\x1b[0m \x1b[2J\u202e\x07") == "red \\x1b[2J\\u202e\\x07"
    assert plain_text.line("a\n\n  b") == "a b" and len(plain_text.line("x" * 10_000)) == 600
    assert len(plain_text.block("a" + "\u0301" * 500)) == 5


@given(texts)
def test_every_way_out_of_a_result_is_plain(text):
    broken = CellResult(
        "graded",
        0.0,
        1.0,
        rung=text or "x",
        case=text,
        expected=text,
        found=text,
        cause=text,
        read=text,
    )
    result = SubmissionResult(
        text,
        1.0,
        tampered=[text],
        remarks=[text],
        notebooks={"a": NotebookResult("graded", text)},
        cells={"a/b": broken},
    )
    faulty = SubmissionResult("bob", 1.0, fault=text)
    report = coordinator.Report("day", "0", [result, faulty], new_students=[text])
    screen = io.StringIO()
    table.show(report, Console(file=screen, width=120))
    assert hidden(screen.getvalue()) == set()
    assert all(
        hidden(string) == set() for string in strings(json.loads("".join(report.json_text())))
    )
    rung = Rung(text, False, case=text, expected=text, found=text, cause=text)
    for shown in (
        render.text(Verdict(text, 0.0, 1.0, (rung,))),
        render.html(Verdict(text, 0.0, 1.0, (rung,))),
    ):
        assert hidden(shown) == set()


@given(texts)
def test_every_way_into_a_recorded_notebook_is_plain(text):
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": text},
        {"output_type": "error", "ename": text, "evalue": text, "traceback": [text]},
        {"output_type": "execute_result", "data": {"text/plain": text}, "metadata": {}},
    ]
    assert all(hidden(string) == set() for string in strings(sanitize.safe_outputs(outputs)))
    for kind in ("code", "markdown", "raw"):
        assert (
            hidden(sanitize.source({"cell_type": kind, "source": text}), "\n\t\u200b\u200c\u200d")
            == set()
        )


def test_markup_is_shown_and_not_obeyed():
    screen = io.StringIO()
    result = SubmissionResult(
        "[red]eve[/red]",
        1.0,
        notebooks={"a": NotebookResult("ungradable", "[link=http://x]y[/] [/nope] \\[b]")},
    )
    table.show(
        coordinator.Report("day", "0", [result]),
        Console(file=screen, width=160, force_terminal=True, color_system=None),
    )
    assert (
        "[red]eve[/red]" in screen.getvalue()
        and "[link=http://x]y[/] [/nope] \\[b]" in screen.getvalue()
    )
    assert "\x1b]8" not in screen.getvalue()


@pytest.mark.parametrize(
    "source",
    [
        "![a](http://example.org/seen.png)",
        "![a][b]\n\n[b]: http://example.org/seen.png",
        "![a](<https://e.org/x>)",
    ],
)
def test_an_image_does_not_become_a_link(source):
    from nbconvert.filters.markdown import markdown2html

    assert "href" not in markdown2html(sanitize.markdown(source)) and "<img" not in markdown2html(
        sanitize.markdown(source)
    )
    assert "href" in markdown2html(sanitize.markdown("see https://example.org/page"))


def strings(value):
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in (key, *strings(item))]
    return (
        [found for item in value for found in strings(item)]
        if isinstance(value, list)
        else [value]
        if isinstance(value, str)
        else []
    )


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Eve writes it everywhere; Ada and Bob fetched the first text, whose hidden test knows only the
    solution's own name of the argument and is corrected afterwards.
    """
    given = small.cells()
    given.append(small.markdown("task", small.TASK, small.meta("draw", 2, task=True)))
    wrong = [
        {**cell, "source": cell["source"].replace("square(-2) == 4", "square(x=-2) == 4")}
        for cell in given
    ]
    project, course = small.published(tmp_path_factory.mktemp("texts"), wrong)
    small.hand_in(
        project,
        course,
        "ada",
        {
            "square": "def square(number):\n    return number * number",
            "essay": "Because.",
            "draw": "An axis.",
        },
    )
    first = {
        result.student: result
        for result in coordinator.grade(
            course, coordinator.GradingRequest(ASSIGNMENT, seed=1)
        ).submissions
    }
    given[0]["source"] = "Squares, explained better: $x^2 \\ge 0$."
    small.write(project, given)
    small.release(project)
    small.publish(course, project, exchange=False)
    evil = EVIL.replace("\x00", "")
    raising = f"def square(x):\n    # {evil}\n    print({EVIL!r})\n    raise type({EVIL[:-1]!r}, (Exception,), {{}})({EVIL!r})"
    folder = small.hand_in(
        project,
        course,
        "eve",
        {"square": raising, "essay": f"{evil} <b>x</b>", "draw": f"{evil} <script>"},
    )
    document = json.loads((folder / f"{NOTEBOOK}.ipynb").read_text())
    document["cells"][2]["metadata"]["tags"] = ["skip-execution", evil]
    document["cells"].insert(0, small.code("own", f"1 / 0  # {evil}"))
    (folder / f"{NOTEBOOK}.ipynb").write_text(json.dumps(document))
    report = coordinator.grade(course, coordinator.GradingRequest(ASSIGNMENT, seed=1))
    return course, report, first


def test_a_hostile_submission_comes_out_plain_everywhere(graded, tmp_path):
    course, report, _ = graded
    with record.gradebook(course) as book:
        book.update_or_create_student("eve", first_name=EVIL.replace("\x00", ""))
    screen = io.StringIO()
    table.show(report, Console(file=screen, width=160))
    export(course, "csv", tmp_path / "grades.csv")
    recorded = (course.autograded / "eve" / ASSIGNMENT / f"{NOTEBOOK}.ipynb").read_text()
    (page,) = [page for page in feedback(course, ASSIGNMENT) if "eve" in page.parts]
    found = [
        screen.getvalue(),
        (tmp_path / "grades.csv").read_text(encoding="utf-8-sig"),
        *strings(json.loads("".join(report.json_text()))),
        *strings(json.loads(recorded)),
        page.read_text(),
    ]
    # The zero-width space is ours: it stands where markup would begin.
    assert set().union(*(hidden(text, "\n\t\u200b") for text in found)) <= {"0xd"}
    assert (
        "\\u202eright" in page.read_text()
        and "<script>" not in page.read_text().split("<body", 1)[1].split("\\u202eright")[-1]
    )
    eve = next(result for result in report.submissions if result.student == "eve")
    assert any("tagged" in text and "skip-execution" in text for text in eve.tampered)


def test_a_corrected_test_reaches_who_fetched_an_earlier_text(graded):
    course, report, first = graded
    assert first["ada"].cells[f"{NOTEBOOK}/test-square"].score == 0
    ada = next(result for result in report.submissions if result.student == "ada")
    assert ada.cells[f"{NOTEBOOK}/test-square"].score == 3
    assert record.submission_score(course, ASSIGNMENT, "ada") == 3


def test_the_marker_sees_hidden_tests_and_students_the_criteria_alone(graded):
    course, _, _ = graded
    cells = json.loads((course.autograded / "ada" / ASSIGNMENT / f"{NOTEBOOK}.ipynb").read_text())[
        "cells"
    ]
    shown = ["".join(cell["source"]) for cell in cells if rubric.is_rubric(cell)]
    assert len(shown) == 3
    assert "```python" in shown[0] and "square(-2) == 4" in shown[0]
    assert "it says *because*" in shown[1] and not re.search("BEGIN|^#", shown[1], re.MULTILINE)
    assert shown[2].endswith("2 points for the axes.")
    (page,) = [page for page in feedback(course, ASSIGNMENT, ["ada"]) if "ada" in page.parts]
    body = page.read_text().split("<body", 1)[1]
    assert "An axis." in body and "for the axes" in body and "it says" in body
    assert "-2" not in body
