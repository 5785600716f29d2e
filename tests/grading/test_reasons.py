"""Why a mark is what it is: no point is missing without a reason, what costs most comes first, and
nothing is called full that is not.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbjudge.grading.document.cells import OWN_CELL
from nbjudge.grading.execution.progress import CellRun, NotebookRun
from nbjudge.grading.marks import marking, reasons
from nbjudge.grading.marks.results import (
    GRADED,
    MANUAL,
    UNGRADABLE,
    UNGRADED,
    ByHand,
    CellResult,
    NotebookResult,
    Settled,
    SubmissionResult,
)
from tests.grading import small

WHEN, DUE = "2026-03-01 13:00:00 UTC", "2026-03-01 12:00:00 UTC"
GONE = "{0}.ipynb is not in the submission"


def result(cells, books=None, **fields):
    """`cells` by key; notebooks are graded where `books` does not say something else."""
    names = dict.fromkeys(key.partition("/")[0] for key in cells)
    notebooks = {name: NotebookResult(GRADED) for name in names} | (books or {})
    most = sum(cell.max_score for cell in cells.values())
    return SubmissionResult("ada", most, notebooks=notebooks, cells=cells, **fields)


def broken(score, most, found="it is wrong", rung="numerics"):
    return CellResult(GRADED, score, most, rung=rung, found=found)


def refused(text):
    return NotebookResult(UNGRADABLE, text)


MARKS = st.sampled_from(
    [
        CellResult(GRADED, 2.0, 2.0),
        CellResult(GRADED, 0.0, 2.0),
        CellResult(GRADED, 1.0, 2.0),
        CellResult(MANUAL, None, 2.0),
        broken(0.5, 2.0),
        broken(0.0, 2.0, "", "assert"),
        CellResult(GRADED, 0.0, 2.0, rung="exists"),
        CellResult(GRADED, 0.0, 2.0, rung="exists", misconception="not-defined"),
        CellResult(GRADED, 0.0, 0.0),
    ]
)
BOOKS = st.sampled_from(
    [
        NotebookResult(GRADED),
        NotebookResult(GRADED, "square: the cell raised NameError"),
        refused("it holds no JSON"),
    ]
)
KEYS = st.sampled_from(["a/one", "a/two", "b/one", "c/one"])


@given(
    st.dictionaries(KEYS, MARKS, min_size=1),
    st.fixed_dictionaries({name: BOOKS for name in "abc"}),
    st.sampled_from([0.0, 0.0, 0.5, 1.0]),
)
def test_every_rung_passed_stands_beside_full_marks_only(cells, books, late):
    books = {key.partition("/")[0]: books[key.partition("/")[0]] for key in cells}
    found = result(cells, books)
    found.late_penalty = min(late, sum(cell.score or 0.0 for cell in cells.values()))
    found.settled = Settled(handed_in=WHEN, due=DUE, seconds_late=3600.0)
    found.needs_manual = any(cell.status == MANUAL for cell in cells.values())
    text = reasons.why(found)
    is_full = found.max_score > 0 and found.score == found.max_score
    assert is_full or reasons.ALL_POINTS not in text
    assert "no reason is known" not in text
    assert (found.late_penalty > 0) == (f"late: -{found.late_penalty:g} (" in text)
    assert f"handed in {WHEN}, due {DUE}" in text


def test_an_untouched_answer_is_not_every_rung_passed():
    """Four answers by hand, none of them touched: 0 without a person."""
    cells = {f"interview/{name}": CellResult(GRADED, 0.0, 1.0) for name in ("one", "two")}
    assert reasons.why(result(cells)) == "interview (one, two): not answered"


def test_what_costs_most_comes_first_and_what_waits_costs_nothing():
    cells = {
        "a/check": broken(3.0, 4.0, "a little wrong"),
        "b/check": broken(0.0, 9.0, "all wrong"),
        "c/essay": CellResult(MANUAL, None, 50.0),
        "d/check": CellResult(GRADED, 20.0, 20.0),
    }
    late = Settled(handed_in=WHEN, due=DUE, seconds_late=3600.0, penalties={"d": 5.0})
    text = reasons.why(result(cells, late_penalty=5.0, settled=late))
    said = ["all wrong", f"late: -5 (handed in {WHEN}, due {DUE})", "a little", "by hand: c/essay"]
    places = [text.index(each) for each in said]
    assert places == sorted(places) and "50 points" in text


def test_missing_notebooks_are_named_once_and_do_not_hide_the_rest():
    names = [f"lab{number}" for number in range(8)]
    cells = {f"{name}/check": CellResult(GRADED, 0.0, 4.0) for name in names}
    books = {name: refused(GONE.format(name)) for name in names}
    cells["dropout/check"] = broken(1.0, 4.0, "a Dropout is left")
    text = reasons.why(result(cells, books))
    assert text.count("not in the submission") == 1 and "and 4 more" in text
    assert text.endswith("dropout: numerics: a Dropout is left")
    (one,) = [name for name in names if name == "lab3"]
    alone = reasons.why(
        result(
            {"lab3/check": cells["lab3/check"], "d/check": CellResult(GRADED, 4.0, 4.0)},
            {"lab3": books[one]},
        )
    )
    assert alone == "lab3.ipynb is not in the submission"


def test_of_all_that_is_refused_the_same_is_said_once():
    text = "{0}.ipynb is not in the submission; its files are x.ipynb, and none of them holds the cells of {0}.ipynb"
    cells = {f"{name}/check": CellResult(GRADED, 0.0, 4.0) for name in "ab"}
    found = result(cells, {name: refused(text.format(name)) for name in "ab"})
    assert reasons.why(found) == (
        "a.ipynb, b.ipynb are not in the submission; its files are x.ipynb, and none of them holds their cells"
    )


def test_a_fault_of_ours_is_the_only_reason():
    faulty = result({"a/check": CellResult(UNGRADED, None, 4.0)})
    faulty.fault = "the disk is full"
    assert reasons.why(faulty) == "the disk is full"


def test_a_person_s_mark_is_told_from_an_automatic_one():
    cells = {
        "a/check": CellResult(GRADED, 4.0, 4.0, rung="assert", found="AssertionError"),
        "a/essay": CellResult(GRADED, 3.5, 5.0),
        "a/plot": CellResult(GRADED, 2.0, 2.0),
    }
    by_hand = {
        "a/check": ByHand(automatic=0.0, given=4.0),
        "a/essay": ByHand(automatic=None, given=3.0, extra=0.5),
        "a/plot": ByHand(automatic=None, given=2.0, again=True),
    }
    found = result(cells, settled=Settled(by_hand=by_hand))
    text = reasons.why(found)
    assert "a (check): 4 by hand in place of 0" in text and "AssertionError" not in text
    assert "a (essay): 3 of 5 by hand, +0.5 extra credit" in text
    assert "look again: a/plot" in text
    assert reasons.of_notebook(found, "a") == [
        "check: 4 by hand in place of 0.",
        "essay: 3 of 5 by hand, +0.5 extra credit.",
    ]


def test_a_remark_is_said_once_and_behind_what_cost_points():
    cells = {"a/check": broken(0.0, 4.0, "all wrong"), "a/essay": CellResult(MANUAL, None, 5.0)}
    answer = "square: the answer cell was there more than once; the last counts"
    late = Settled(handed_in=WHEN, due=DUE, seconds_late=3600.0, penalties={"a": 1.0})
    found = result(cells, {"a": NotebookResult(GRADED, answer)}, late_penalty=1.0, settled=late)
    found.remarks = [f"a: {answer}"]
    text = reasons.why(found)
    assert text.count("more than once") == 1
    assert text.index("all wrong") < text.index("late: -1") < text.index("more than once")
    assert sum("more than once" in line for line in reasons.of_notebook(found, "a")) == 1


def test_a_cell_that_nbgrader_named_is_called_by_its_heading():
    found = result(
        {
            "a/cell-32a522217549fd0c": replace(broken(0.0, 4.0, "wrong"), label="Part II, test 2"),
            "a/cell-d2c8d42721e39f15": CellResult(MANUAL, None, 5.0, label="Part II, answer 1"),
        }
    )
    said = reasons.why(found) + " ".join(reasons.of_notebook(found, "a"))
    assert "a (Part II, test 2): numerics: wrong" in said and "cell-" not in said
    assert said.count("Part II, answer 1") == 2


def test_a_student_reads_what_concerns_the_notebook():
    cells = {f"{name}/check": CellResult(GRADED, 4.0, 4.0) for name in "ab"}
    late = Settled(handed_in=WHEN, due=DUE, seconds_late=3600.0, penalties={"a": 1.5})
    found = result(cells, late_penalty=1.5, settled=late)
    found.tampered = ["a: check: the given cell was edited and was reset", "timestamp.txt: odd"]
    found.remarks = ["b: square: the cell was there more than once; the last one counts"]
    first, *rest = reasons.of_notebook(found, "a")
    assert "-1.5 points" in first and WHEN in first and DUE in first
    assert rest == ["check: the given cell was edited and was reset.", "timestamp.txt: odd."]
    assert reasons.of_notebook(found, "b") == [
        "timestamp.txt: odd.",
        "square: the cell was there more than once; the last one counts.",
    ]
    table = reasons.why(found)
    assert all(text in table for text in (*found.tampered, *found.remarks))


OWN = {"id": f"{OWN_CELL}0", "cell_type": "code", "source": "f()", "metadata": {}}


def raised(name):
    return [{"output_type": "error", "ename": name, "evalue": "", "traceback": []}]


RAISED = raised("ValueError")
LONGEST = "E" * 60
LEFT = "called exit() or quit(), which ended it there"


@pytest.mark.parametrize(
    ("ran", "said"),
    [
        (CellRun("timeout", RAISED), "was stopped: its time was over"),
        (CellRun("died"), "ended its kernel"),
        (CellRun("error", RAISED), "raised ValueError"),
        (CellRun("error", raised("SystemExit")), LEFT),
        (CellRun("timeout", raised("SystemExit")), "was stopped: its time was over"),
        (CellRun("error", raised(LONGEST)), f"raised {LONGEST}"),
        (CellRun("error", raised(f"{LONGEST}E")), "raised an exception"),
        (CellRun("error", raised("full marks: 4")), "raised an exception"),
        (CellRun("error"), "raised an exception"),
        (CellRun("ok"), None),
    ],
)
def test_how_a_cell_ended_comes_before_what_it_raised(ran, said):
    trouble = marking.first_trouble({"cells": [OWN]}, NotebookRun({0: ran}))
    assert trouble == (said and f"a cell of the student's own: the cell {said}")


def test_a_cell_that_ran_elsewhere_is_no_trouble():
    """An answer that stood elsewhere runs in two places, of which the first may lack what it needs."""
    runs = {0: CellRun("error", RAISED), 1: CellRun("ok")}
    assert marking.first_trouble({"cells": [OWN, OWN]}, NotebookRun(runs)) is None
    other = {**OWN, "source": "g()"}
    assert marking.first_trouble({"cells": [OWN, other]}, NotebookRun(runs))


def test_of_given_cells_the_first_that_nbgrader_does_not_know_is_named():
    given = {"id": "plain", "cell_type": "code", "source": "\nload()\nmore()", "metadata": {}}
    named = {**given, "id": "named", "metadata": small.meta("named")}
    failed = CellRun("error", RAISED)
    runs = NotebookRun({0: failed, 1: failed, 2: failed})
    assert marking.given_trouble({"cells": [OWN, named, given]}, runs) == (
        "a given cell (`load()`) raised ValueError"
    )
    assert marking.given_trouble({"cells": [OWN, named]}, runs) is None


@pytest.mark.parametrize(
    ("status", "score", "is_kept"), [(UNGRADABLE, 0.0, True), (UNGRADED, None, False)]
)
def test_a_notebook_without_marks_says_why_where_the_student_is_to_read_it(status, score, is_kept):
    skeleton = small.notebook([small.code("test", "assert f()", small.meta("test-f", 3))])
    found = result({})
    marking.without_marks(found, skeleton, "lab", status, "it cannot be read")
    cell = found.cells["lab/test-f"]
    assert (cell.score, cell.max_score) == (score, 3)
    assert cell.status == (GRADED if is_kept else UNGRADED)
    assert found.notebooks["lab"] == NotebookResult(status, "it cannot be read")
    assert ("lab" in found.documents) is is_kept
