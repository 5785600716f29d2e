"""Verdicts: what crosses a wall is checked field by field, and what is shown is inert."""

import html.parser
import json
import re
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbjudge import render, sections
from nbjudge.contract import Answer, Case, View
from nbjudge.rungs import outcome
from nbjudge.verdict import MOST_CHANGES, TEXT_LIMIT, Failure, Item, Rung, Verdict

TEXT = st.text(max_size=40)
POINTS = st.floats(0, 100)
COUNTS = st.integers(0, 99)
FAILED = st.lists(st.builds(Failure, TEXT, TEXT), max_size=3).map(tuple)
RUNGS = st.builds(
    Rung,
    TEXT,
    st.none() | st.booleans(),
    case=st.none() | TEXT,
    expected=TEXT,
    found=TEXT,
    cause=TEXT,
    read=TEXT,
    cases=COUNTS,
    wrong=COUNTS,
    failed=FAILED,
)
ITEMS = st.builds(
    Item,
    name=TEXT,
    title=TEXT,
    points=POINTS,
    passed=st.none() | st.booleans(),
    cases=COUNTS,
    is_local=st.booleans(),
    failed=st.lists(TEXT, max_size=3).map(tuple),
    rung=TEXT,
    case=TEXT,
    expected=TEXT,
    found=TEXT,
    cause=TEXT,
    read=TEXT,
    misconception=TEXT,
)
ITEM_FIELDS = [field.name for field in fields(Item)]
VERDICTS = st.builds(
    lambda exercise, total, share, rungs, items, changes: Verdict(
        exercise,
        total * share,
        total,
        tuple(rungs),
        items=tuple(items),
        changes=tuple(changes),
    ),
    TEXT,
    POINTS,
    st.floats(0, 1),
    st.lists(RUNGS, max_size=5),
    st.lists(ITEMS, max_size=3),
    st.lists(TEXT, max_size=MOST_CHANGES),
)
ODD = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | TEXT
    | st.lists(st.integers(), max_size=2)
    | st.just({})
)
RUNG_FIELDS = [
    "name",
    "passed",
    "case",
    "expected",
    "found",
    "cause",
    "read",
    "cases",
    "wrong",
    "failed",
    "misconception",
    "title",
]


@given(VERDICTS)
def test_a_verdict_survives_json(verdict):
    assert Verdict.from_json(json.loads(json.dumps(verdict.to_json()))) == verdict


@given(VERDICTS, st.sampled_from(["exercise", "score", "max_score", "rungs", "changes"]), ODD)
def test_a_verdict_with_an_odd_field_is_refused_or_still_a_verdict(verdict, field, value):
    expect_refused_or_sound({**verdict.to_json(), field: value})


@given(VERDICTS.filter(lambda verdict: verdict.rungs), st.sampled_from(RUNG_FIELDS), ODD)
def test_a_rung_with_an_odd_field_is_refused_or_still_a_rung(verdict, field, value):
    data = verdict.to_json()
    data["rungs"][0][field] = value
    expect_refused_or_sound(data)


@given(VERDICTS.filter(lambda verdict: verdict.items), st.sampled_from(ITEM_FIELDS), ODD)
def test_an_item_with_an_odd_field_is_refused_or_still_an_item(verdict, field, value):
    data = verdict.to_json()
    data["items"][0][field] = value
    expect_refused_or_sound(data)


@given(
    VERDICTS.filter(lambda verdict: verdict.rungs),
    st.sampled_from(["name", "expected", "found", "cause", "read"]),
)
def test_a_missing_field_is_refused(verdict, field):
    data = verdict.to_json()
    del data["rungs"][0][field]
    with pytest.raises(ValueError):
        Verdict.from_json(data)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "text",
        3,
        {},
        {"rungs": {}},
        {"rungs": [], "exercise": "x", "score": float("nan"), "max_score": 1},
    ],
)
def test_what_is_no_verdict_is_refused(data):
    with pytest.raises(ValueError):
        Verdict.from_json(data)


@pytest.mark.parametrize("huge", [10**400, -(10**400), float("inf")], ids=["over", "under", "inf"])
def test_numbers_that_no_float_holds_are_refused(huge):
    with pytest.raises(ValueError):
        Verdict.from_json({"exercise": "x", "score": huge, "max_score": 4.0, "rungs": []})


@pytest.mark.parametrize(("claimed", "kept"), [(99.0, 4.0), (-1.0, 0.0), (3.0, 3.0)])
def test_a_score_is_clamped(claimed, kept):
    assert (
        Verdict.from_json({"exercise": "x", "score": claimed, "max_score": 4.0, "rungs": []}).score
        == kept
    )


def test_so_many_changes_are_read_and_no_more():
    data = {"exercise": "x", "score": 0.0, "max_score": 4.0, "rungs": []}
    found = Verdict.from_json({**data, "changes": ["a" * 9999] * 999}).changes
    assert len(found) == MOST_CHANGES and {len(each) for each in found} == {TEXT_LIMIT}
    for odd in ("text", {}, [3], None):
        with pytest.raises(ValueError):
            Verdict.from_json({**data, "changes": odd})


def test_what_an_answer_changed_is_shown_folded_and_inert():
    rung = Rung("structure", False, case="chain", expected="e", found="f")
    hostile = "`<img src=x onerror=alert(1)>` was removed\x1b[31m."
    found = Verdict("x", 0.0, 1.0, (rung,), changes=(hostile,))
    page = render.html(found)
    heading = "What you returned, against what you were given in case chain:"
    assert f"<details><summary>{heading}</summary>" in page
    assert "<img" not in page and "&lt;img" in page and "\x1b" not in page
    text = render.text(found)
    assert heading in text and "was removed" in text and "\x1b" not in text


def test_a_negative_maximum_is_refused():
    with pytest.raises(ValueError):
        Verdict.from_json({"exercise": "x", "score": 1.0, "max_score": -4.0, "rungs": []})


def test_long_texts_are_cut():
    rung = Rung(
        "a" * 9999,
        False,
        case="b" * 9999,
        expected="c" * 9999,
        found="c" * 9999,
        cause="c" * 9999,
        read="c" * 9999,
    )
    read = Verdict.from_json(Verdict("d" * 9999, 0.0, 1.0, (rung,)).to_json())
    assert (
        max(map(len, [read.exercise, read.rungs[0].name, read.rungs[0].case, read.rungs[0].found]))
        == TEXT_LIMIT
    )


class Shown(html.parser.HTMLParser):
    """The tags, attributes and text of a piece of HTML."""

    def __init__(self, source: str):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data):
        self.text.append(data)


HOSTILE = st.text("<>&\"'/ abscript\x1b\x07\u202e\n", max_size=60) | st.sampled_from(
    ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>']
)

# What a verdict is written with.
TAGS = {"div", "p", "strong", "table", "tbody", "tr", "td", "dl", "dt", "dd", "ul", "li"}


@given(HOSTILE, HOSTILE, HOSTILE)
def test_html_holds_a_students_text_as_text(name, found, note):
    failed = (Failure(name, found), Failure(found, name))
    rungs = (
        Rung(
            name,
            False,
            case=name,
            expected=found,
            found=found,
            cause=found,
            read=found,
            cases=9,
            wrong=9,
            failed=failed,
        ),
        Rung(
            name,
            False,
            case=name,
            expected=found,
            found=found,
            cause=found,
            read=found,
        ),
    )
    verdict = Verdict(name, 0.0, 1.0, rungs)
    shown = Shown(render.html(verdict, note))
    assert shown.tags <= TAGS
    assert shown.attributes <= {"class", "style", "aria-label"}
    assert render.clean(found) in "".join(shown.text)


@given(HOSTILE)
def test_text_drives_no_terminal(found):
    failed = (Failure(found, found), Failure("b", found))
    verdict = Verdict(
        "x",
        0.0,
        1.0,
        (
            Rung(
                "type",
                False,
                case=found,
                expected=found,
                found=found,
                cause=found,
                read=found,
                cases=3,
                wrong=2,
                failed=failed,
            ),
        ),
    )
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", render.text(verdict, found)
    )


def test_a_state_is_said_in_words_and_colours_are_the_pages_own():
    rungs = (
        Rung("exists", True),
        Rung("type", False, expected="a dict"),
        Rung("loads", None),
    )
    verdict = Verdict("x", 1.0, 3.0, rungs)
    for shown in (render.text(verdict), render.html(verdict)):
        assert all(word in shown for word in ("passed", "broken", "not reached", "a dict"))
    assert not re.search(
        r"#[0-9a-f]{3}|rgb|background|(?<!solid )currentColor|color:", render.html(verdict)
    )


def shown_ways(verdict):
    return [
        " ".join(render.text(verdict).split()),
        " ".join(" ".join(Shown(render.html(verdict)).text).split()),
    ]


def test_items_say_what_they_are_worth_and_what_costs_them():
    items = (
        Item(name="usual", title="usual graphs", points=2.5, passed=True, cases=3),
        Item(
            name="inside",
            title="a Dropout inside a branch",
            points=1.0,
            passed=False,
            cases=2,
            failed=("if", "loop"),
            rung="structure",
            case="if",
            expected="e",
            found="found there",
        ),
        Item(name="rare", title="a rare graph", points=0.5, passed=None),
    )
    rungs = (Rung("structure", False, case="if", title="removes each Dropout"),)
    graded = Verdict("x", 2.5, 4.0, rungs, items=items)
    for words in shown_ways(graded):
        assert "2.5 of 4 points" in words and "earned: 3 cases" in words
        assert "a Dropout inside a branch 1 point fails: if, loop (at structure)" in words
        assert "structure: removes each Dropout" in words and "found there" in words
    here = replace(graded, items=tuple(replace(item, is_local=True) for item in items))
    for words in shown_ways(here):
        assert "rows that pass here are worth 2.5 of 4 points; hidden cases decide" in words
        assert "public cases pass (3)" in words and "no public case: practice draws one" in words


def test_every_way_in_which_cases_failed_has_a_line():
    failed = tuple(
        Failure(name, found)
        for name, found in [
            ("a", "one"),
            ("b", "one"),
            ("c", "two"),
            *((n, "three") for n in "defghi"),
        ]
    )
    rungs = (
        Rung(
            "structure",
            False,
            case="a",
            expected="e",
            found="one",
            cause="c",
            cases=40,
            wrong=30,
            failed=failed,
        ),
        Rung(
            "numerics",
            False,
            case="z",
            expected="e",
            found="four",
            cause="c",
            cases=40,
            wrong=1,
            failed=(Failure("z", "four"),),
        ),
    )
    for words in shown_ways(Verdict("x", 0.0, 2.0, rungs)):
        assert "structure, case b: the same" in words
        assert "structure, case c: two" in words
        assert "structure, cases d, e, f, g, h, i: three" in words
        assert "structure: 21 more cases, not listed" in words
        assert "numerics, case z: four" in words


def test_a_number_alone_is_told_with_what_was_expected():
    first = Rung(
        "structure",
        False,
        case="a",
        expected="e",
        found="one",
        cause="c",
        cases=2,
        wrong=1,
    )
    failed = (Failure("b", "4.7e-02"), Failure("c", "1.2e+00 on output y"))
    then = Rung(
        "numerics",
        False,
        case="b",
        expected="at most 1e-3",
        found="4.7e-02",
        cause="c",
        read="",
        cases=2,
        wrong=2,
        failed=failed,
    )
    for words in shown_ways(Verdict("x", 0.0, 2.0, (first, then))):
        assert "numerics, case b: 4.7e-02, where at most 1e-3 is expected" in words
        assert "numerics, case c: 1.2e+00 on output y" in words


def test_what_was_expected_is_that_of_the_case_that_is_shown():
    failed = (Failure("a", "7", "5 steps"), Failure("b", "7", "6 steps"))
    rung = Rung(
        "numerics",
        False,
        case="z",
        expected="9 steps",
        found="none at all, of any",
        cause="c",
        read="",
        cases=9,
        wrong=2,
    )
    verdict = Verdict("x", 0.0, 1.0, (replace(rung, failed=failed),))
    for words in shown_ways(verdict):
        assert "case a: 7, where 5 steps is expected" in words
        assert "case b: 7, where 6 steps is expected" in words


def test_numbers_are_not_reported_where_the_structure_failed():
    """And a rung that failed for itself tells its cause."""
    structure = Rung(
        name="structure: fused",
        passed=False,
        case="a",
        found="nothing was fused there",
        cause="why",
        failed=(Failure("a", "nothing was fused there"),),
    )
    numerics = Rung(
        name="numerics",
        passed=False,
        case="a",
        found="it computes something else",
        cause="because of that",
        failed=(Failure("a", "it computes something else"), Failure("b", "a sum is off by one")),
    )
    for words in shown_ways(Verdict("x", 0.0, 2.0, (structure, numerics))):
        assert "something else" not in words and "case b: a sum is off by one" in words
    apart = replace(numerics, case="b", failed=numerics.failed[1:])
    for words in shown_ways(Verdict("x", 0.0, 2.0, (structure, apart))):
        assert "case b: a sum is off by one. because of that" in words


def test_no_student_reads_the_id_of_a_misconception():
    rung = Rung(
        "type",
        False,
        case="a",
        expected="e",
        found="f",
        cause="c",
        misconception="raises-type-error",
    )
    assert not any(
        "raises-type-error" in words for words in shown_ways(Verdict("x", 0, 1, (rung,)))
    )


def test_many_lines_wait_behind_a_click():
    failed = tuple(Failure(f"case-{number}", f"it has found {number}") for number in range(20))
    rung = Rung(
        "structure",
        False,
        case="a",
        expected="e",
        found="one",
        cause="c",
        cases=20,
        wrong=20,
        failed=failed,
    )
    page = render.html(Verdict("x", 0.0, 1.0, (rung,)))
    shown, _, behind = page.partition("<details><summary>12 more</summary>")
    assert [f"found {number}<" in shown for number in range(20)] == [True] * 8 + [False] * 12
    assert [f"found {number}<" in behind for number in range(20)] == [False] * 8 + [True] * 12


def test_the_section_to_read_again_is_a_link_where_the_notebook_is_there(tmp_path):
    lab, page = tmp_path / "labs" / "day-50", tmp_path / "notebooks" / "day-50" / "05 graph.ipynb"
    lab.mkdir(parents=True)
    page.parent.mkdir(parents=True)
    cells = [{"cell_type": "markdown", "source": ["# Graphs\n", "## The `Dropout`, again\n"]}]
    page.write_text(json.dumps({"cells": cells}))
    assert (
        sections.link("day-50/05 graph#the-dropout-again", lab)
        == "../../notebooks/day-50/05%20graph.ipynb#The-Dropout%2C-again"
    )
    assert (
        sections.link("day-50/05 graph#elsewhere", lab) == "../../notebooks/day-50/05%20graph.ipynb"
    )
    assert sections.link("day-50/06#x", lab) == "" == sections.link("", lab)
    page.write_text("[")
    assert (
        sections.link("day-50/05 graph#the-dropout-again", lab)
        == "../../notebooks/day-50/05%20graph.ipynb"
    )


@given(HOSTILE)
def test_a_link_leads_to_one_address_and_runs_nothing(found):
    verdict = Verdict(
        "x",
        0.0,
        1.0,
        (
            Rung(
                "type",
                False,
                case="a",
                expected="e",
                found="f",
                cause="c",
                read="day-50/05#x",
            ),
        ),
    )
    shown = Shown(render.html(verdict, link=found))
    assert shown.tags <= TAGS | {"a"}
    assert shown.attributes <= {"class", "style", "aria-label", "href"}


OUTCOMES = ["missing", "raised", "wrong_type", "timeout", "killed", "too_large", "something else"]
SECRET = "the-hidden-input"


@pytest.mark.parametrize("found", OUTCOMES)
def test_a_hidden_case_never_shows_what_the_students_code_said(found):
    error = {"type": SECRET, "text": SECRET, "line": SECRET, "expected": SECRET, "found": SECRET}
    for rung in (outcome.exists("f(x)", "a#b"), outcome.returns("a dict", "a#b")):
        finding = rung(View(Case("hidden"), Answer(found, error=error), {}))
        assert finding is None or SECRET not in f"{finding}"


@pytest.mark.parametrize("found", OUTCOMES)
def test_exactly_one_of_the_two_first_rungs_breaks(found):
    broken = [
        rung(View(Case("c"), Answer(found), {}))
        for rung in (outcome.exists("f(x)", "a#b"), outcome.returns("a dict", "a#b"))
    ]
    assert sum(finding is not None for finding in broken) == 1
    finding = next(filter(None, broken))
    assert all([finding.expected, finding.found, finding.cause, finding.read])


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("ValueError", True),
        ("ValidationError", True),
        ("MyError", False),
        ("print", False),
        ("dict", False),
    ],
)
def test_a_hidden_case_names_only_well_known_exceptions(name, shown):
    finding = outcome.returns("a dict", "a#b")(
        View(Case("hidden"), Answer("raised", error={"type": name}), {})
    )
    assert (name in finding.found) == shown


def expect_refused_or_sound(data: dict) -> None:
    try:
        read = Verdict.from_json(data)
    except ValueError:
        return
    assert 0 <= read.score <= read.max_score
    assert all(
        len(getattr(rung, name)) <= TEXT_LIMIT
        for rung in read.rungs
        for name in ("name", "expected", "found", "cause", "read")
    )
    assert all(rung.passed in (True, False, None) for rung in read.rungs)
    assert Verdict.from_json(read.to_json()) == read
