"""What the rebuild makes of a submission: the published cells, and what the student wrote.
`test_edited.py` edits notebooks as editors do.
"""

import copy

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbjudge.grading.notebook.rebuild import NotRebuildable, rebuild
from nbjudge.grading.published import skeletons
from tests.grading.small import code, markdown, meta, notebook

SKELETON = notebook(
    [
        code("imports", "import onnx\nfrom nbjudge import check"),
        markdown("task", "Write it."),
        code("setup", "WIDTH = 1", meta("setup")),
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
    cell = rebuilt.notebook["cells"][3]
    assert cell["source"] == "def remove_dropout(m): return m"
    assert (
        cell["metadata"] == SKELETON["cells"][3]["metadata"]
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
        {"setup": {"source": "WIDTH = 2"}},
        {"test": {"tags": ["skip-execution"]}},
    ],
    ids=["source", "type", "points", "grade", "solution", "deleted", "locked", "tag"],
)
def test_given_cells_are_restored_and_the_instructor_is_told(change):
    rebuilt = rebuild(SKELETON, submitted(**change))
    assert rebuilt.notebook == SKELETON
    assert len(rebuilt.tampered) == 1


def test_cells_without_their_metadata_are_known_by_their_ids():
    cells = [{**cell, "nbgrader": None} for cell in submitted(answer={"source": "mine"})]
    assert sources(rebuild(SKELETON, cells))[3] == "mine"


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
    one, two, three, four, five = submitted(answer={"source": "second half"})
    rebuilt = rebuild(
        SKELETON, [one, two, three, {**four, "id": "split", "source": "first half"}, four, five]
    )
    assert sources(rebuilt)[3:5] == ["first half", "second half"]
    assert any("more than once" in remark for remark in rebuilt.answers)


def test_a_test_cell_moved_or_pasted_twice_runs_once_in_its_own_place():
    cells = submitted()
    rebuilt = rebuild(SKELETON, [cells[4], *cells, {**cells[4], "source": "4.0"}])
    assert sources(rebuilt) == [cell["source"] for cell in SKELETON["cells"]]


def test_a_copy_is_no_fault_unless_one_of_them_was_edited():
    cells = submitted()
    honest = rebuild(SKELETON, [*cells, cells[4], cells[3]])
    assert honest.tampered == ()
    assert sum("more than once" in remark for remark in honest.remarks) == 2
    edited = rebuild(SKELETON, [{**cells[4], "source": "4.0"}, *cells])
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
    assert marked[0]["source"] == "WIDTH = 1"
    assert marked[2]["source"] == SKELETON["cells"][4]["source"]
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
    cells[3]["source"] = "mine"
    rebuilt = rebuild(SKELETON, [*cells, own(blanks), own(blanks, "more", "markdown")])
    given = [cell["source"] for cell in SKELETON["cells"]]
    assert sources(rebuilt) == [
        given[0],
        blanks,
        given[1],
        blanks,
        given[2],
        "mine",
        given[4],
        blanks,
        blanks,
    ]
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
    assert sources(rebuilt) == [SKELETON["cells"][0]["source"], "x = 1"]


MINE = "def remove_dropout(m):\n    return m"
STUB_OF = "def remove_dropout(m):\n    raise NotImplementedError"


def with_stub(*cells):
    """The skeleton with a stub that defines a function, and a submission of its cells, changed."""
    skeleton = copy.deepcopy(SKELETON)
    skeleton["cells"][3]["source"] = STUB_OF
    return skeleton, rebuild(skeleton, list(cells))


def by_id(**changes):
    cells = submitted(answer={"source": STUB_OF, **changes})
    return {cell["id"]: cell for cell in cells}


def code_of(rebuilt):
    """What runs, without the comments of the grader's own."""
    cells = rebuilt.notebook["cells"]
    runs = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    return [source for source in runs if not source.startswith("# [grader]")]


TEST = 'check("dropout", remove_dropout)'
ORDER = ["import onnx\nfrom nbjudge import check", "WIDTH = 1", MINE, TEST]


@pytest.mark.parametrize(
    "place", [0, 1, 2, 3, 4], ids=["top", "before setup", "behind setup", "its place", "end"]
)
def test_a_deleted_answer_is_replaced_by_the_cell_that_defines_the_same(place):
    cells = by_id()
    given = [cells["imports"], cells["task"], cells["setup"], cells["test"]]
    _, rebuilt = with_stub(*given[:place], own(MINE), *given[place:])
    assert STUB_OF not in sources(rebuilt)
    ran = code_of(rebuilt)
    assert MINE in ran[: ran.index(TEST)]
    # Where given code stands in front of it, it runs behind that.
    assert ran.index("WIDTH = 1") < len(ran[: ran.index(TEST)]) - 1 - ran[: ran.index(TEST)][
        ::-1
    ].index(MINE)
    assert rebuilt.answers and "remove-dropout: the answer cell is missing" in rebuilt.answers[0]
    assert not rebuilt.tampered


def test_a_deleted_answer_with_nothing_in_its_place_does_not_run():
    cells = by_id()
    _, rebuilt = with_stub(cells["imports"], cells["task"], cells["setup"], cells["test"])
    (answer,) = (cell for cell in rebuilt.notebook["cells"] if cell["id"] == "answer")
    assert answer["source"].startswith("# [grader] This answer cell is missing")


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("above", [True, False])
def test_a_stub_that_was_pasted_beside_the_answer_does_not_run(above, named):
    cells = by_id(source=MINE)
    stub = {**cells["answer"], "id": "copy", "source": STUB_OF}
    stub = stub if named else {**stub, "nbgrader": None}
    pair = [stub, cells["answer"]] if above else [cells["answer"], stub]
    given = [cells["imports"], cells["task"], cells["setup"]]
    _, rebuilt = with_stub(*given, *pair, cells["test"])
    assert code_of(rebuilt) == ORDER
    assert rebuilt.answers == (
        "remove-dropout: the answer cell was there more than once; the last one that was changed counts",
    )


@pytest.mark.parametrize("behind", [True, False])
def test_a_stub_that_was_left_below_a_cell_that_defines_the_same_does_not_run(behind):
    cells = by_id()
    given = [cells["imports"], cells["task"], cells["setup"]]
    mine = own(MINE)
    own_cells = (
        [cells["answer"], cells["test"], mine] if behind else [mine, cells["answer"], cells["test"]]
    )
    _, rebuilt = with_stub(*given, *own_cells)
    ran = code_of(rebuilt)
    assert ran[: ran.index(TEST) + 1] == ORDER
    assert "left as given" in rebuilt.answers[0]


def test_an_answer_behind_its_test_takes_along_what_it_uses():
    cells = by_id(source="def remove_dropout(m):\n    return helper(m)")
    given = [cells["imports"], cells["task"], cells["setup"], cells["test"]]
    helper, unused = own("def helper(m):\n    return m", "h"), own("spare = 1", "s")
    _, rebuilt = with_stub(*given, helper, unused, cells["answer"])
    assert code_of(rebuilt) == [
        *ORDER[:2],
        helper["source"],
        cells["answer"]["source"],
        TEST,
        helper["source"],
        "spare = 1",
    ]
    assert any("stood elsewhere" in remark for remark in rebuilt.answers)


PAIR = notebook(
    [
        code("imports", "import onnx", meta("imports")),
        code("one", "# YOUR CODE HERE", meta("one", solution=True)),
        markdown("hint", "A hint."),
        code("test-one", "assert one", meta("test-one", 1)),
        code("two", "# YOUR CODE HERE", meta("two", solution=True)),
        code("test-two", "assert two", meta("test-two", 1)),
    ]
)
IMPORTS, HINT, ONE, TWO = "imports", "hint", "test-one", "test-two"


def code_of_pair(*written, skeleton=PAIR):
    """The code that runs of a submission of these cells, given ones by their ids. A published cell is
    written as its id, alone or with what it holds (`one = 1`); every other text is a cell of the
    student's own.
    """
    published = {cell["id"]: cell for cell in skeleton["cells"]}
    cells = []
    for number, text in enumerate(written):
        cell = None if isinstance(text, dict) else published.get(text.partition(" = ")[0])
        if isinstance(text, dict):
            cells.append(text)
        elif cell is None:
            cells.append(own(text, f"own-{number}", "markdown" if text[0] == "#" else "code"))
        else:
            source = cell["source"] if text == cell["id"] else text
            cells.append(own(source, text, cell["cell_type"], cell["metadata"].get("nbgrader")))
    ids = {cell["source"]: cell["id"] for cell in skeleton["cells"] if "YOUR" not in cell["source"]}
    ran = [source.partition("\n\n# [grader]")[0] for source in code_of(rebuild(skeleton, cells))]
    return [ids.get(source, source) for source in ran]


@pytest.mark.parametrize(
    ("cells", "runs"),
    [
        pytest.param(
            ["helper = 1", IMPORTS, HINT, ONE, "two = 2", TWO, "helper = 2", "one = helper"],
            ["helper = 1", IMPORTS, "one = helper", ONE, "two = 2", TWO, "helper = 2"],
            id="not what is defined before",
        ),
        pytest.param(
            ["import math", IMPORTS, HINT, ONE, "two = 2", TWO, "one = math.pi"],
            ["import math", IMPORTS, "one = math.pi", ONE, "two = 2", TWO],
            id="not what is imported before",
        ),
        pytest.param(
            [IMPORTS, HINT, ONE, "two = 2", TWO, "one = helper", "helper = 1"],
            [IMPORTS, "one = helper", ONE, "two = 2", TWO, "helper = 1"],
            id="not what stands behind it",
        ),
        pytest.param(
            ["def helper(): return LATE", IMPORTS, HINT, ONE, "two = 2", TWO, "LATE = 1", "one = helper()"],
            ["def helper(): return LATE", IMPORTS, "LATE = 1", "one = helper()", ONE, "two = 2", TWO, "LATE = 1"],
            id="what its helper uses",
        ),
        pytest.param(
            [IMPORTS, HINT, ONE, TWO, "helper = 1", "one = helper", "two = helper"],
            [IMPORTS, "helper = 1", "one = helper", ONE, "two = helper", TWO, "helper = 1"],
            id="once for two answers",
        ),
        pytest.param(
            [IMPORTS, HINT, ONE, TWO, "one = 1", "two = one"],
            [IMPORTS, "one = 1", ONE, "two = one", TWO],
            id="not an earlier answer",
        ),
        pytest.param(
            [IMPORTS, HINT, ONE, TWO, "two = 2", "one = two"],
            [IMPORTS, "two = 2", "one = two", ONE, "two = 2", TWO],
            id="a later answer",
        ),
    ],
)  # fmt: skip
def test_an_answer_from_further_down_takes_along_what_nothing_before_its_place_defines(cells, runs):
    assert code_of_pair(*cells) == runs


@pytest.mark.parametrize(
    ("cells", "times"),
    [
        pytest.param(["one = 1", "x = one", IMPORTS, HINT, ONE], 2, id="own code behind"),
        pytest.param(["one = 1", IMPORTS, HINT, ONE], 1, id="nothing behind"),
        pytest.param(["one = 1", "# A text.", IMPORTS, HINT, ONE], 1, id="a text behind"),
        pytest.param(["x = 1", "one = 1", IMPORTS, HINT, ONE], 1, id="own code in front"),
        pytest.param(["one = 1", IMPORTS, HINT, ONE, "x = 1"], 1, id="own code behind the test"),
        pytest.param([IMPORTS, HINT, "x = 1", "one = 1", ONE], 2, id="below own code"),
        pytest.param([IMPORTS, HINT, "# A text.", "one = 1", ONE], 1, id="below a text"),
        pytest.param(["x = 1", IMPORTS, HINT, "one = 1", ONE], 1, id="own code before its place"),
        pytest.param([IMPORTS, HINT, "one = 1", "x = 1", ONE], 1, id="above own code"),
    ],
)
def test_an_answer_also_runs_where_the_student_has_it_if_own_code_stands_between(cells, times):
    assert code_of_pair(*cells, "two = 2", TWO).count("one = 1") == times


@pytest.mark.parametrize(
    ("cells", "runs"),
    [
        pytest.param(
            [IMPORTS, "one = 1", "x = 1", ONE],
            [IMPORTS, "one = 1", "a", "b", "x = 1", ONE],
            id="given code",
        ),
        pytest.param(
            [IMPORTS, own("one = 1"), "x = 1", ONE],
            [IMPORTS, "one = 1", "a", "b", "x = 1", ONE],
            id="given code behind an own cell that is the answer",
        ),
        pytest.param(
            [IMPORTS, "x = 1", ONE, "one"],
            [IMPORTS, "# YOUR CODE HERE", "a", "b", "x = 1", ONE],
            id="given code behind a stub that was moved away",
        ),
        pytest.param(
            [IMPORTS, "x = 1", ONE],
            [IMPORTS, "x = 1", "a", "b", ONE],
            id="what may be the missing answer comes first",
        ),
        pytest.param(
            [IMPORTS, "one = 1", "a", "b", "x = 1"],
            [IMPORTS, "one = 1", "a", "b", "x = 1", ONE],
            id="a test comes behind them",
        ),
    ],
)
def test_what_is_put_back_comes_in_front_of_the_student_s_cells_at_its_place(cells, runs):
    given = [code("a", "A = 1", meta("a")), code("b", "B = 2", meta("b"))]
    first, answer, _, test, *_ = PAIR["cells"]
    assert code_of_pair(*cells, skeleton=notebook([first, answer, *given, test])) == runs


def test_an_answer_that_was_merged_into_a_given_cell_runs():
    cells = by_id()
    merged = {**cells["setup"], "source": f"WIDTH = 1\n\n{MINE}"}
    _, rebuilt = with_stub(cells["imports"], cells["task"], merged, cells["test"])
    assert code_of(rebuilt) == ORDER
    above = {**cells["test"], "source": f"{MINE}\n\n{TEST}"}
    _, rebuilt = with_stub(cells["imports"], cells["task"], cells["setup"], above)
    assert code_of(rebuilt) == ORDER


def test_given_code_that_is_not_locked_and_was_changed_runs_behind_the_given():
    """nbgrader runs the changed one alone."""
    changed = "import onnx\nfrom nbjudge import check\nimport math"
    rebuilt = rebuild(SKELETON, submitted(imports={"source": changed}))
    assert sources(rebuilt)[:2] == [SKELETON["cells"][0]["source"], "import math"]
    rebuilt = rebuild(SKELETON, submitted(imports={"source": "import math"}))
    assert sources(rebuilt)[:2] == [SKELETON["cells"][0]["source"], "import math"]


def test_given_code_that_was_deleted_runs_before_what_stands_there():
    cells = by_id(source=MINE)
    _, rebuilt = with_stub(
        cells["imports"], cells["task"], own("WIDTH = 3"), cells["answer"], cells["test"]
    )
    assert code_of(rebuilt) == [*ORDER[:2], "WIDTH = 3", *ORDER[2:]]


def test_a_notebook_without_any_names_is_known_by_what_was_given():
    cells = [{**cell, "nbgrader": None, "id": None} for cell in by_id(source=MINE).values()]
    _, rebuilt = with_stub(*cells)
    assert code_of(rebuilt) == ORDER
    assert any("known by their ids or their text: " in remark for remark in rebuilt.remarks)


ESSAYS = notebook(
    [
        markdown("why", "Why?", meta("why")),
        markdown("one", "YOUR ANSWER HERE", meta("one", 5, solution=True)),
        markdown("so", "So?", meta("so")),
        markdown("two", "YOUR ANSWER HERE", meta("two", 5, solution=True)),
        code("plot", "# YOUR CODE HERE", meta("plot", 5, solution=True)),
    ]
)


def essays(*cells):
    """Of a submission of `ESSAYS`, the answers that are as they were given."""
    rebuilt = rebuild(ESSAYS, list(cells))
    texts = {cell["id"]: cell["source"] for cell in ESSAYS["cells"]}
    return {
        cell["id"]
        for cell in rebuilt.notebook["cells"]
        if cell["id"] in ("one", "two", "plot") and cell["source"] == texts[cell["id"]]
    }


def handed(cell_id, **changes):
    (cell,) = (cell for cell in ESSAYS["cells"] if cell["id"] == cell_id)
    plain = {"cell_type": cell["cell_type"], "id": cell_id, "source": cell["source"]}
    return {**plain, "nbgrader": cell["metadata"]["nbgrader"], **changes}


WHOLE = [handed(name) for name in ("why", "one", "so", "two", "plot")]
TEXT = own("Because.", cell_type="markdown")


@pytest.mark.parametrize(
    ("cells", "untouched"),
    [
        (WHOLE, {"one", "two", "plot"}),
        ([*WHOLE, own("  ")], {"one", "two", "plot"}),
        ([WHOLE[0], TEXT, *WHOLE[2:]], {"plot"}),
        ([*WHOLE[:2], TEXT, *WHOLE[2:]], {"plot"}),
        ([*WHOLE, TEXT], {"one", "two"}),
        ([*WHOLE, own("plot()")], {"one", "two"}),
        ([*WHOLE[:2], handed("one", id="copy"), *WHOLE[2:]], {"two", "plot"}),
        ([*WHOLE[:2], handed("one", id="copy", nbgrader=None), *WHOLE[2:]], {"two", "plot"}),
        ([WHOLE[0], *WHOLE[2:], WHOLE[1]], {"two", "plot"}),
        ([handed("why", source="Why?\n\nBecause."), *WHOLE[1:]], {"two", "plot"}),
        ([*WHOLE[:2], handed("so", source="Because."), *WHOLE[3:]], {"plot"}),
        ([WHOLE[0], *WHOLE[2:]], {"two", "plot"}),
        ([WHOLE[0], WHOLE[2]], set()),
    ],
    ids=[
        "whole", "blank cell", "new cell for one", "own cell between", "own cell at the end", "own code at the end",
        "handed in twice", "copied without names", "moved", "written into the question", "written over a text",
        "deleted", "all deleted",
    ],
)  # fmt: skip
def test_an_answer_is_as_given_only_where_nothing_else_can_be_meant(cells, untouched):
    assert essays(*cells) == untouched


LAYOUTS = {
    "PyCharm": lambda cell: f"#%%{' md' * (cell['cell_type'] == 'markdown')}\n{cell['source']}",
    "VS Code": lambda cell: f"# %% [markdown]\n\n{cell['source']}",
    "nbconvert": lambda cell: f"# In[ ]:\n\n\n{cell['source']}",
    "Black": lambda cell: cell["source"].replace("'", '"').replace("1+1", "1 + 1") + "\n",
}


@pytest.mark.parametrize("editor", LAYOUTS)
def test_what_editors_write_into_cells_flags_nobody(editor):
    published = notebook(
        [
            markdown("intro", "Squares."),
            code("setup", "%matplotlib inline\nsize = {'a': 1+1}"),
            code("square", "raise NotImplementedError()", meta("square", solution=True)),
            code("test", "assert square(3) == 9, 'of 3'", meta("test", 2)),
            markdown("essay", "YOUR ANSWER HERE", meta("essay", 3, solution=True)),
        ]
    )
    cells = [{**cell, "source": LAYOUTS[editor](cell)} for cell in published["cells"]]
    submitted = [{**cell, "nbgrader": cell["metadata"].get("nbgrader")} for cell in cells]
    joined = rebuild(published, submitted)
    assert joined.tampered == () and len(joined.remarks) == 1
    assert "laid out in another way" in joined.remarks[0]
    # Untouched answers are as they were given, and nothing runs twice.
    assert [each["source"] for each in joined.notebook["cells"]] == [
        each["source"] for each in published["cells"]
    ]


@pytest.mark.parametrize(
    "source",
    ["assert square(3) == 8, 'of 3'", "assert square(3) == 9\n%time", "assert square('3')"],
)
def test_other_code_is_no_layout(source):
    published = notebook([code("test", "assert square(3) == 9, 'of 3'", meta("test", 2))])
    cell = published["cells"][0]
    theirs = {**cell, "source": source, "nbgrader": cell["metadata"]["nbgrader"]}
    assert rebuild(published, [theirs]).tampered


def test_a_cell_without_a_name_of_its_author_s_is_called_by_its_heading():
    named = {"a": "cell-32a522217549fd0c", "b": "cell-d2c8d42721e39f15", "c": "test-own"}
    tests = [code(key, f"assert {key}", meta(name, 2)) for key, name in named.items()]
    published = notebook([markdown("h", "text\n\n## Part *II*\n\nmore"), *tests])
    cells = [
        {**cell, "nbgrader": cell["metadata"].get("nbgrader"), "source": cell["source"] + "or True"}
        for cell in published["cells"]
    ]
    tampered = rebuild(published, cells).tampered
    names = [line.partition(": the given cell")[0] for line in tampered[-3:]]
    assert names == ["Part II, test 1", "Part II, test 2", "test-own"]


def test_a_header_that_asks_for_a_name_flags_nobody():
    header = code("name", "NAME = ''")
    header["metadata"]["editable"] = True
    published = notebook([header, code("test", "assert NAME", meta("test", 2))])
    theirs = [{**cell, "nbgrader": cell["metadata"].get("nbgrader")} for cell in published["cells"]]
    theirs[0]["source"] = "NAME = 'Ada'"
    joined = rebuild(published, theirs)
    assert joined.tampered == () and "NAME = 'Ada'" in sources(joined)
