"""However an editor leaves a notebook, `course check` and `course grade` read it as one, and what the
student sees passing is not lost.
"""

import copy
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import event, given, settings
from hypothesis import strategies as st

from nbjudge.course import given_cells, ladders
from nbjudge.grading.notebook.matching import normal
from nbjudge.grading.notebook.parser import read_notebook
from nbjudge.grading.notebook.rebuild import NotRebuildable, rebuild, with_note
from nbjudge.grading.notebook.renamed import Candidates, NotHandedIn, find
from tests.grading.small import code, markdown, meta, notebook

NAME = "squares"
TESTS = {
    "test-square": "assert square(3) == 9.0",
    "test-total": "assert total([1, 2]) == 5.0 and UNIT == 1",
    "test-table": "assert table[2] == 4.0",
}
PUBLISHED = notebook(
    [
        markdown("title", "# Squares"),
        code("imports", "import math\nUNIT = 1", {**meta("imports")}),
        markdown("ask-square", "Write `square`."),
        code(
            "square", "def square(x):\n    raise NotImplementedError", meta("square", solution=True)
        ),
        markdown("hint", "A hint."),
        code("test-square", TESTS["test-square"], meta("test-square", 2)),
        markdown("ask-total", "Write `total`."),
        code("total", "# YOUR CODE HERE\nraise NotImplementedError", meta("total", solution=True)),
        code("test-total", TESTS["test-total"], meta("test-total", 2)),
        code("table", "table = None", meta("table", solution=True)),
        code("test-table", TESTS["test-table"], meta("test-table", 2)),
        markdown("essay", "YOUR ANSWER HERE", meta("essay", 3, solution=True)),
        markdown("end", "The end."),
    ]
)
ANSWERS = {
    # Needs what the given cell imports when it is defined.
    "square": "def square(x: int = math.floor(0.5)) -> float:\n    return math.pow(x, POWER)",
    "total": "def total(numbers):\n    return sum(map(square, numbers))",
    "table": "table = [square(x) for x in range(5)]",
    "essay": "Because it is.",
}
HELPER = "POWER = 2"
SCRATCH = "square = total = table = None"


def answered():
    """A whole and right submission, with a helper above the first answer and scratch at the end."""
    cells = copy.deepcopy(PUBLISHED["cells"])
    for cell in cells:
        cell["source"] = ANSWERS.get(cell["id"], cell["source"])
    cells.insert(3, code("helper", HELPER))
    return [*cells, code("scratch", SCRATCH)]


# What an editor does, each on the list of cells, at places given by numbers of any size.


def delete(cells, here, there, way):
    cells.pop(here)


def move(cells, here, there, way):
    cells.insert(there, cells.pop(here))


def duplicate(cells, here, there, way):
    fresh = copy.deepcopy(cells[here])
    if way % 2:
        fresh["id"] = f"copy-{there}"
    if way % 3 == 0:
        fresh["metadata"] = {}
    cells.insert(there, fresh)


def write_anew(cells, here, there, way):
    """The cell is deleted, and its text stands in a new one."""
    old = cells.pop(here)
    new = code if old["cell_type"] == "code" else markdown
    cells.insert(there if way % 2 else here, new(f"new-{here}-{there}", old["source"]))


def split(cells, here, there, way):
    one, lines = cells[here], cells[here]["source"].split("\n")
    cut = there % len(lines)
    other = copy.deepcopy(one)
    one["source"], other["source"] = "\n".join(lines[:cut]), "\n".join(lines[cut:])
    other["id"] = f"split-{here}-{there}"
    if way % 3:
        (one if way % 3 == 1 else other)["metadata"] = {}
    cells.insert(here + 1, other)


def merge(cells, here, there, way):
    """Into one of the two, which keeps its names."""
    if here + 1 < len(cells) and cells[here]["cell_type"] == cells[here + 1]["cell_type"]:
        one, other = cells[here], cells.pop(here + 1)
        text = f"{one['source']}\n\n{other['source']}"
        cells[here] = {**(other if way % 2 else one), "source": text}


def retype(cells, here, there, way):
    old = cells[here]
    new = markdown if old["cell_type"] == "code" else code
    fresh = new(old.get("id"), old["source"], old["metadata"])
    cells[here] = fresh if "id" in old else {key: fresh[key] for key in fresh if key != "id"}


def strip_ids(cells, here, there, way):
    for cell in cells:
        cell.pop("id", None)


def strip_metadata(cells, here, there, way):
    for cell in cells:
        cell["metadata"] = {}


def stub_again(cells, here, there, way):
    """The stub of an answer is pasted, as it was given."""
    stub = copy.deepcopy(next(cell for cell in PUBLISHED["cells"] if cell["id"] == "square"))
    if way % 2:
        stub |= {"metadata": {}, "id": f"stub-{there}"}
    cells.insert(there, stub)


EDITS = [
    delete,
    move,
    duplicate,
    write_anew,
    split,
    merge,
    retype,
    strip_ids,
    strip_metadata,
    stub_again,
]
# Whatever of these is done, all that the student wrote is there.
GENTLE = [move, write_anew, strip_ids, strip_metadata]


def edited(edits):
    cells = answered()
    for edit, here, there, way in edits:
        if cells:
            edit(cells, here % len(cells), there % len(cells), way)
    return cells


def ends(cells):
    """Each code cell, and whether it runs through, in one namespace, top to bottom."""
    namespace = {}
    for cell in filter(lambda cell: cell["cell_type"] == "code", cells):
        try:
            exec(compile(cell["source"], "cell", "exec", dont_inherit=True), namespace)
            yield cell, True
        except Exception:
            yield cell, False


def seen(cells):
    """The tests that pass wherever the student has them."""
    fine = {}
    for cell, ok in ends(cells):
        source = normal(cell["source"])
        fine[source] = ok and fine.get(source, True)
    return {name for name, source in TESTS.items() if fine.get(source)}


def passed(cells):
    """The tests that pass in a rebuilt notebook."""
    return {cell["id"] for cell, ok in ends(cells) if ok and cell["id"] in TESTS}


def written(folder: Path, cells, name=NAME) -> Path:
    (folder / "references").mkdir()
    given_cells.write(folder / "references", {NAME: PUBLISHED})
    path = folder / f"{name}.ipynb"
    path.write_text(json.dumps(notebook(cells)))
    return path


def checked(cells, name=NAME):
    """What `course check` runs."""
    with TemporaryDirectory() as folder:
        document, notes = ladders.as_graded(written(Path(folder), cells, name))
        return document["cells"], notes


def graded(cells, name=NAME):
    """What `course grade` runs, or None where it refuses."""
    data, skeletons = json.dumps(notebook(cells)).encode(), {NAME: PUBLISHED}
    try:
        if name != NAME:
            find(NAME, Candidates(skeletons, {name: data}, read_notebook))
        return with_note(rebuild(PUBLISHED, read_notebook(data)[0]))["cells"]
    except (NotRebuildable, NotHandedIn):
        return None


edits = st.tuples(st.sampled_from(EDITS), st.integers(0, 40), st.integers(0, 40), st.integers(0, 5))
names = st.sampled_from([NAME, "my answers"])


@settings(max_examples=300, deadline=None)
@given(st.lists(edits, max_size=3), names)
def test_check_and_grade_come_to_one_verdict_and_lose_nothing(several, name):
    cells = edited(several)
    of_check, notes = checked(cells, name)
    of_grade = graded(cells, name)
    if of_grade is None:
        event("refused")
        assert any(ladders.AS_IT_STANDS in note or "earn nothing" in note for note in notes)
        return
    verdict = passed(of_grade)
    event(f"{len(verdict)} of {len(TESTS)}")
    assert passed(of_check) == verdict
    assert seen(cells) <= verdict
    assert {
        cell["metadata"]["nbgrader"]["grade_id"]
        for cell in of_grade
        if cell["metadata"].get("nbgrader")
    } == {
        cell["metadata"]["nbgrader"]["grade_id"] for cell in PUBLISHED["cells"] if cell["metadata"]
    }


gentle = st.tuples(
    st.sampled_from(GENTLE), st.sampled_from(sorted(ANSWERS)), st.integers(0, 40), st.integers(0, 5)
)


@settings(max_examples=200, deadline=None)
@given(st.lists(gentle, max_size=3))
def test_a_function_counts_wherever_in_the_notebook_it_is_written(several):
    cells = [cell for cell in answered() if cell["id"] != "scratch"]
    for edit, which, there, way in several:
        here = next(n for n, cell in enumerate(cells) if cell["source"] == ANSWERS[which])
        edit(cells, here, there % len(cells), way)
    assert passed(graded(cells)) >= {"test-square", "test-total"}
    assert passed(checked(cells)[0]) >= {"test-square", "test-total"}


@settings(max_examples=200, deadline=None)
@given(st.lists(edits, max_size=3))
def test_an_untouched_notebook_earns_nothing_however_it_is_edited(several):
    cells = copy.deepcopy(PUBLISHED["cells"])
    for edit, here, there, way in several:
        if cells:
            edit(cells, here % len(cells), there % len(cells), way)
    rebuilt = graded(cells)
    assert rebuilt is None or not passed(rebuilt)
