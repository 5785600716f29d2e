"""`course report`: figures that are known beforehand, and a page that is safe to open. Who handed in
the same is tried in test_alike.py.
"""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from nbjudge.course.report import classes, figures, page, terminal, wording
from nbjudge.grading.marks.results import (
    GRADED,
    MANUAL,
    UNGRADABLE,
    CellResult,
    NotebookResult,
    SubmissionResult,
)
from tests.mutants import EXERCISES

GIVEN = "import onnx\n\nmodel = onnx.load('given.onnx')\nprint([node.op_type for node in model.graph.node])"
STUB = "def remove_dropout(model):\n    raise NotImplementedError"


def cell(kind, name, source, solution=False):
    meta = {
        "nbgrader": {"grade_id": name, "grade": False, "solution": solution, "locked": not solution}
    }
    return {"cell_type": kind, "id": name, "source": source, "metadata": meta}


def notebook(source, extra=""):
    cells = [cell("code", "given", GIVEN), cell("code", "answer", source, solution=True)]
    return {
        "cells": [*cells, {"cell_type": "code", "id": "extra-1-0", "source": extra, "metadata": {}}]
    }


def student(name, marks, source=STUB, status=GRADED, **fields):
    """A result with one cell a notebook: `marks` are points of 4, or None for what waits for a
    person.
    """
    cells = {
        f"lab-{lab}/check": CellResult(MANUAL if mark is None else GRADED, mark, 4.0)
        for lab, mark in enumerate(marks)
    }
    for key, values in fields.items():
        cells[f"lab-{key[-1]}/check"] = replace(cells[f"lab-{key[-1]}/check"], **values)
    books = {key.split("/")[0]: NotebookResult(status) for key in cells}
    documents = {name: notebook(source) for name in books}
    return SubmissionResult(
        name, 4.0 * len(marks), notebooks=books, cells=cells, documents=documents
    )


def report(results, shown=None):
    skeletons = {name: notebook(STUB) for name in results[0].notebooks}
    return classes.build(
        "a-lab",
        results,
        skeletons,
        shown or {result.student: result.student for result in results},
        True,
    )


def answer(name):
    return (EXERCISES / "dropout" / "answers" / f"{name}.py").read_text().partition("}\n")[2]


def test_marks_are_counted_by_tenths_and_only_all_points_are_all():
    assert figures.histogram([0, 0.001, 0.04, 0.5, 0.96, 0.999, 1]) == (
        1,
        2,
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        2,
        1,
    )


def test_difficulty_is_the_mean_of_those_who_tried():
    nothing = {"check0": {"rung": "exists"}}
    item = report([student("a", [4.0]), student("b", [1.0]), student("c", [0.0], **nothing)]).items[
        0
    ]
    assert (item.marked, item.tried, item.full, item.difficulty) == (3, 2, 1, pytest.approx(0.625))
    assert item.histogram[0] == 1


def test_a_cell_that_ends_with_an_error_counts_as_tried():
    broken = {"rung": "exists", "misconception": "not-defined", "cause": "No cell defines it."}
    item = report([student("a", [0.0], check0=broken), student("b", [4.0])]).items[0]
    assert item.tried == 2 and [each.id for each in item.misconceptions] == ["not-defined"]


def test_one_of_two_functions_counts_as_tried():
    item = report([student("a", [2.0], check0={"rung": "exists"}), student("b", [4.0])]).items[0]
    assert item.tried == 2 and item.rungs == {"exists": 1}


def test_what_could_not_be_graded_is_a_mark_and_no_attempt():
    item = report([student("a", [0.0], status=UNGRADABLE), student("b", [4.0])]).items[0]
    assert (item.marked, item.tried) == (2, 1)


def test_a_mark_that_is_still_missing_is_no_zero():
    item = report([student("a", [None, 4.0]), student("b", [4.0, 4.0])]).items[0]
    assert (item.waiting, item.marked, item.difficulty) == (1, 1, 1.0)


def test_whoever_waits_for_a_marker_has_tried():
    """An answer that nobody wrote is an automatic 0; one that is marked 0 was tried."""
    meta = {"grade_id": "check", "grade": True, "solution": True}
    essay = {"cell_type": "markdown", "id": "e", "source": "", "metadata": {"nbgrader": meta}}
    results = [student(f"w{n}", [None]) for n in range(5)]
    results += [student("full", [4.0]), student("zero", [0.0]), student("nothing", [0.0])]
    written = {who.student: ["lab-0/check"] for who in results if who.student != "nothing"}
    shown = {who.student: who.student for who in results}
    given = {"lab-0": {"cells": [essay]}}
    item = classes.build("a-lab", results, given, shown, True, written=written).items[0]
    assert (item.tried, item.judged, item.waiting, item.marked) == (7, 2, 5, 3)
    assert item.difficulty == 0.5 and "5 answers to be marked by hand" in wording.summary(item)


def test_discrimination_leaves_the_cell_itself_out_of_the_total():
    rng = np.random.default_rng(5)
    marks = rng.choice([0.4, 1.0, 2.8, 4.0], size=(30, 3))
    item = report(
        [student(f"s{row}", list(map(float, each))) for row, each in enumerate(marks)]
    ).items[0]
    corrected = np.corrcoef(marks[:, 0], marks[:, 1:].sum(axis=1))[0, 1]
    assert item.discrimination.r == pytest.approx(corrected)
    assert item.discrimination.r < np.corrcoef(marks[:, 0], marks.sum(axis=1))[0, 1] - 0.3
    assert item.discrimination.low < corrected < item.discrimination.high


def test_the_interval_holds_the_truth_where_most_have_all_points():
    """Of simulated classes of 40, for an exercise that most solve; Fisher's interval holds it in
    seven of ten.
    """
    levels, steps = np.array([0.0, 0.1, 0.3, 0.7, 1.0]), [-2.3, -1.9, -1.5, -1.1]

    def marks(rng, students):
        ability = rng.normal(size=(students, 1))
        shares = levels[np.digitize(0.7 * ability + 0.7 * rng.normal(size=(students, 9)), steps)]
        return shares[:, 0], shares[:, 1:].sum(axis=1)

    rng = np.random.default_rng(0)
    truth = np.corrcoef(*marks(rng, 100_000))[0, 1]
    found = [figures.correlation(*marks(rng, 40)) for _ in range(200)]
    assert np.mean([each.low <= truth <= each.high for each in found if each]) > 0.8


def test_discrimination_needs_marks_that_differ():
    assert (
        report([student(f"s{row}", [4.0, float(row % 5)]) for row in range(20)])
        .items[0]
        .discrimination
        is None
    )


def test_misconceptions_are_counted_with_the_words_that_most_read():
    forgot = [
        {"rung": "loads", "misconception": "mask-forgotten", "cause": words}
        for words in ("The mask.", "The mask.", "A mask.")
    ]
    wrong = [student(f"s{row}", [1.0], check0=each) for row, each in enumerate(forgot)]
    other = student(
        "other", [1.0], check0={"rung": "loads", "misconception": "another", "cause": "Else."}
    )
    found = report([*wrong, other, student("right", [4.0])])
    assert [(one.id, one.text, one.students) for one in found.items[0].misconceptions] == [
        ("mask-forgotten", "The mask.", 3),
        ("another", "Else.", 1),
    ]
    assert (
        wording.misconception(found.items[0].misconceptions[0], found.items[0])
        == "3 of 5: mask-forgotten (The mask.)"
    )


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\x1b[2J\u202e{{ 7 * 7 }}"


def hostile():
    named = {"rung": HOSTILE, "misconception": HOSTILE, "cause": HOSTILE}
    results = [
        student(f"{HOSTILE}{row}", [1.0], answer("valid_ir"), check0=named) for row in range(2)
    ]
    return report(
        [
            *results,
            student("c", [4.0], answer("valid_surgeon")),
            student("d", [4.0], answer("valid_rename")),
        ]
    )


def test_nothing_that_came_from_students_is_live():
    found = hostile()
    assert len(found.groups) == 1
    text = page.page(found)
    assert (
        "<script" not in text and "<img" not in text and "\x1b" not in text and "\u202e" not in text
    )
    assert "&lt;script&gt;" in text and "{{ 7 * 7 }}" in text
    assert (
        not re.search(r"(?:src|href)=[\"'](?!#)", text) and "default-src &#39;none&#39;" not in text
    )


def test_the_terminal_gets_plain_text(capsys):
    terminal.show(hostile())
    shown = capsys.readouterr().out
    assert "\x1b[2J" not in shown and "\u202e" not in shown and "of 4: " in shown


def test_json_has_what_the_page_has():
    data = json.loads(json.dumps(hostile().to_json()))
    assert data["items"][0]["histogram"] == [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2]
    assert data["items"][0]["misconceptions"][0]["students"] == 2 and "\x1b" not in json.dumps(data)


def test_each_picture_says_in_words_what_it_shows():
    text = page.page(hostile())
    described = re.findall(r'<svg [^>]*aria-label="([^"]*)"', text)
    assert len(described) == 2 and all(
        "2 have all points" in words and "2 about 20 %" in words for words in described
    )


def test_marks_that_people_still_have_to_give_are_told():
    assert "1 mark still to be given by hand" in wording.headline(
        report([student("a", [None, 4.0]), student("b", [4.0, 4.0])])
    )


def test_a_mistake_that_has_no_cause_is_told_by_what_was_found():
    said = "it raises TypeError: must be a Tensor"
    cell = CellResult(
        "graded", 0.0, 1.0, rung="type", found=said, misconception="raises-type-error"
    )
    [named] = classes._misconceptions([cell])
    assert (named.text, named.students) == (said, 1)
