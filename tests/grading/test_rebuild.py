"""Of a submission only the sources of solution cells and the student's own cells survive the
rebuild.
"""

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import code, markdown, meta, notebook

from autograder.grading import skeletons
from autograder.grading.rebuild import NotRebuildable, rebuild

SKELETON = notebook(
    [
        code("imports", "import onnx\nfrom autograder import check"),
        markdown("task", "Write it."),
        code("answer", "raise NotImplementedError", meta("remove-dropout", solution=True)),
        code("test", 'check("dropout", remove_dropout)', meta("check-dropout", 4)),
    ]
)


def submitted(**changes):
    """The skeleton as it comes back from the parser, with cells changed by id; None leaves one out."""
    cells = []
    for cell in SKELETON["cells"]:
        change = changes.get(cell["id"], {})
        if change is not None:
            plain = {
                "cell_type": cell["cell_type"],
                "id": cell["id"],
                "source": cell["source"],
                "nbgrader": cell["metadata"].get("nbgrader"),
            }
            cells.append({**plain, **change})
    return cells


def own(source, cell_id="mine", cell_type="code", nbgrader=None):
    return {"cell_type": cell_type, "id": cell_id, "source": source, "nbgrader": nbgrader}


def sources(rebuilt):
    return [cell["source"] for cell in rebuilt.notebook["cells"]]


def test_an_untouched_submission_gives_the_skeleton_back_without_remarks():
    rebuilt = rebuild(SKELETON, submitted())
    assert rebuilt.notebook == SKELETON and rebuilt.tampered == rebuilt.remarks == ()


def test_the_solution_is_taken_and_nothing_else_of_its_cell():
    rebuilt = rebuild(SKELETON, submitted(answer={"source": "def remove_dropout(m): return m"}))
    cell = rebuilt.notebook["cells"][2]
    assert cell["source"] == "def remove_dropout(m): return m"
    assert (
        cell["metadata"] == SKELETON["cells"][2]["metadata"]
        and rebuilt.tampered == rebuilt.remarks == ()
    )


@pytest.mark.parametrize(
    "change",
    [
        {"test": {"source": "4.0"}},
        {"test": {"cell_type": "markdown"}},
        {"test": {"nbgrader": meta("check-dropout", 1000)["nbgrader"]}},
        {"test": {"nbgrader": meta("check-dropout")["nbgrader"]}},
        {"test": {"nbgrader": meta("check-dropout", 4, solution=True)["nbgrader"]}},
        {"test": None},
        {"imports": {"source": "check = print"}},
        {"test": {"tags": ["skip-execution"]}},
    ],
    ids=["source", "type", "points", "grade", "solution", "deleted", "imports", "tag"],
)
def test_given_cells_are_restored_and_the_instructor_is_told(change):
    rebuilt = rebuild(SKELETON, submitted(**change))
    assert rebuilt.notebook == SKELETON
    assert len(rebuilt.tampered) == 1


def test_cells_without_their_metadata_are_known_by_their_ids():
    cells = [{**cell, "nbgrader": None} for cell in submitted(answer={"source": "mine"})]
    assert sources(rebuild(SKELETON, cells))[2] == "mine"


def test_a_notebook_with_nothing_of_the_assignment_is_not_rebuildable():
    with pytest.raises(NotRebuildable, match="fresh copy"):
        rebuild(SKELETON, [own("print(1)")])
    with pytest.raises(NotRebuildable):
        rebuild(SKELETON, [])


def test_extra_cells_stay_where_they_were_without_metadata():
    first, *rest = submitted(answer={"source": "def remove_dropout(m): return helper(m)"})
    extra = own(
        "def helper(m): ...",
        nbgrader={"grade_id": "unknown", "grade": True, "solution": False, "points": 9},
    )
    rebuilt = rebuild(SKELETON, [own("before"), first, extra, *rest])
    assert sources(rebuilt)[:3] == ["before", SKELETON["cells"][0]["source"], "def helper(m): ..."]
    assert rebuilt.notebook["cells"][2]["metadata"] == {}


def test_a_split_solution_cell_runs_in_order_and_its_last_part_is_the_cell():
    one, two, three, four = submitted(answer={"source": "second half"})
    rebuilt = rebuild(
        SKELETON, [one, two, {**three, "id": "split", "source": "first half"}, three, four]
    )
    assert sources(rebuilt)[2:4] == ["first half", "second half"]


def test_a_test_cell_moved_or_pasted_twice_runs_once_in_its_own_place():
    cells = submitted()
    rebuilt = rebuild(SKELETON, [cells[3], *cells, {**cells[3], "source": "4.0"}])
    assert sources(rebuilt) == [cell["source"] for cell in SKELETON["cells"]]


def test_a_copy_is_no_fault_unless_one_of_them_was_edited():
    cells = submitted()
    honest = rebuild(SKELETON, [*cells, cells[3], cells[2]])
    assert (
        honest.tampered == () and len(honest.remarks) == 2 and "more than once" in honest.remarks[0]
    )
    edited = rebuild(SKELETON, [{**cells[3], "source": "4.0"}, *cells])
    assert len(edited.tampered) == 1 and "edited" in edited.tampered[0]


def test_tags_of_an_answer_are_the_students_business():
    assert rebuild(SKELETON, submitted(answer={"tags": ["mine"]})).tampered == ()


texts = st.text(max_size=20)
flags = st.none() | st.booleans() | st.integers(-2, 2000)
wild_meta = st.none() | st.fixed_dictionaries(
    {"grade_id": st.sampled_from(["check-dropout", "remove-dropout", "x"])},
    optional={key: flags for key in ("grade", "solution", "task", "points", "locked")},
)
ids = st.sampled_from(["imports", "task", "answer", "test", "z"])
kinds = st.sampled_from(["code", "markdown", "raw", "bogus"])
wild_cell = st.builds(own, texts, cell_id=ids, cell_type=kinds, nbgrader=wild_meta)


@given(st.lists(wild_cell, max_size=12))
def test_whatever_is_submitted_the_graded_cells_are_the_skeletons(cells):
    try:
        rebuilt = rebuild(SKELETON, cells)
    except NotRebuildable:
        return
    marked = [cell for cell in rebuilt.notebook["cells"] if "nbgrader" in cell["metadata"]]
    assert [cell["metadata"] for cell in marked] == [
        cell["metadata"] for cell in SKELETON["cells"][2:]
    ]
    assert marked[1]["source"] == SKELETON["cells"][3]["source"]
    assert [cell["source"] for cell in rebuilt.notebook["cells"] if cell["id"] == "imports"] == [
        SKELETON["cells"][0]["source"]
    ]


def test_cells_that_were_published_without_an_id_are_known_by_their_source():
    """Before nbformat 4.5 cells had none; a student's JupyterLab gives each of them one."""
    given = [{key: cell[key] for key in cell if key != "id"} for cell in SKELETON["cells"]]
    skeleton = skeletons.named({**SKELETON, "nbformat_minor": 4, "cells": given})
    cells = [{**cell, "id": f"new-{n}"} for n, cell in enumerate(submitted())]
    rebuilt = rebuild(skeleton, [*cells, own("import os")])
    assert sources(rebuilt) == [*sources(rebuild(SKELETON, submitted())), "import os"]
    assert not rebuilt.tampered
    nbformat.validate(rebuilt.notebook)


@pytest.mark.parametrize("blank", [" ", "\t", " \t"])
def test_a_megabyte_of_blanks_is_compared_at_once(blank):
    """A pattern that looks for the blanks at the ends of lines takes a day for these."""
    blanks = blank * (2 << 20) + "x"
    cells = submitted(imports={"source": blanks}, task={"source": blanks})
    rebuilt = rebuild(SKELETON, [*cells, own(blanks), own(blanks, "more", "markdown")])
    assert sources(rebuilt) == [cell["source"] for cell in SKELETON["cells"]] + 2 * [blanks]
    assert len(rebuilt.tampered) == 2


def test_blanks_at_the_ends_of_lines_are_no_change():
    given = SKELETON["cells"][0]["source"]
    changed = f"\n{given}".replace("\n", " \t\r\n") + "\n \n"
    assert not rebuild(SKELETON, submitted(imports={"source": changed})).tampered
    indented = given.replace("\n", "\n ")
    assert rebuild(SKELETON, submitted(imports={"source": indented})).tampered


def test_an_assignment_without_graded_cells_takes_every_notebook():
    skeleton = {**SKELETON, "cells": SKELETON["cells"][:1]}
    rebuilt = rebuild(skeleton, [own("x = 1")])
    assert sources(rebuilt) == ["x = 1", SKELETON["cells"][0]["source"]]
