"""The models and outputs of the pages are those of their code."""

import ast
import json

import nbformat
import pytest
import recording

from tests import notebook_tools

# A model with heavy data, and the memory that its cell took.
HEAVY = """
import resource, tempfile
from pathlib import Path
from onnx import TensorProto, helper

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)
length = 400_000_000
with open(folder / "heavy.bin", "wb") as file:
    file.truncate(length)
table = TensorProto(name="table", data_type=1, dims=[length // 4], data_location=1)
for key, value in {"location": "heavy.bin", "offset": 0, "length": length}.items():
    table.external_data.add(key=key, value=str(value))
y = helper.make_tensor_value_info("y", 1, [length // 4])
graph = helper.make_graph([helper.make_node("Neg", ["table"], ["y"])], "g", [], [y], [table])
(folder / "heavy.onnx").write_bytes(helper.make_model(graph).SerializeToString())
before = peak()
"""


def test_the_pages_are_recorded_with_the_code_of_today():
    stale = {short(path) for path in notebook_tools.reading_notebooks() if recording.is_stale(path)}
    zoo = stale & {short(notebook_tools.ZOO)}
    assert not zoo, "record the page of the zoo: make zoo"
    assert not stale, f"record these pages: {', '.join(sorted(stale))} (make notebooks does)"


def test_the_outputs_of_a_notebook_are_those_of_its_recorded_run():
    """What another run would write otherwise depends on the machine, and is left out."""
    others = [
        short(path)
        for path in notebook_tools.runnable_notebooks()
        if recording.recorded(path).get("outputs")
        != notebook_tools.digest_of_outputs(notebook_tools.read(path))
    ]
    assert not others, f"outputs that this code did not give: {', '.join(others)}"


def test_each_recorded_model_belongs_to_a_cell():
    for path in notebook_tools.reading_notebooks():
        cells = {cell.id for cell in notebook_tools.read(path).cells}
        assert set(recording.recorded(path).get("cells", {})) <= cells, short(path)
    assert {path.stem for path in recording.MODELS.glob("*.onnx")} == recording.named()


def short(path):
    return path.relative_to(notebook_tools.ROOT).as_posix()


BEFORE = '''"""A module."""

def twice(x):
    """Return two of them."""
    return 2 * x  # both
'''


@pytest.mark.parametrize(
    ("after", "is_the_same"),
    [
        (BEFORE.replace("# both", "# each of them"), True),
        (BEFORE.replace("two of them", "it, twice"), True),
        (BEFORE.replace('"""A module."""', ""), True),
        (BEFORE.replace("2 * x", "(2\n        * x)"), True),
        (BEFORE.replace("2 * x", "3 * x"), False),
        (BEFORE.replace("def twice", "def thrice"), False),
        (BEFORE.replace("return", "x = 'A text that is no docstring.'\n    return"), False),
    ],
)
def test_comments_and_docstrings_make_no_page_stale(after, is_the_same):
    was, now = (recording.shape(ast.parse(text)) for text in (BEFORE, after))
    assert (was == now) is is_the_same


def test_the_page_of_course_diff_is_code_of_those_pages_alone_that_compare_models():
    """A page that draws a table of nodes depended on all of `course diff` once."""
    through = {
        path.stem
        for path in notebook_tools.runnable_notebooks()
        if "formatlab.diff.page" in recording.modules(recording.imports(notebook_tools.read(path)))
    }
    assert through == {"05-graph-surgery", "06-optimizers", "12-graphsurgeon"}


def test_of_the_harness_a_page_reaches_what_shows_a_verdict_alone():
    """Judges, marks and the contract are no code of a page, whose steps show their own verdicts."""
    named, reached = set(), set()
    for path in notebook_tools.runnable_notebooks():
        names = recording.imports(notebook_tools.read(path))
        named |= {name for name in names if name.split(".")[0] == "nbjudge"}
        reached |= {name for name in recording.modules(names) if name.startswith("nbjudge.")}
    assert named == set(), "a page that calls `check` depends on `nbjudge.checking`, too"
    assert reached == {
        f"nbjudge.{name}"
        for name in ("_replaced", "display", "plain_text", "render", "sections", "typed", "verdict")
    }


def test_what_is_imported_for_annotations_alone_is_no_code_of_a_page(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import nbjudge.contract\n"
        "else:\n    import nbjudge.verdict\n"
    )
    assert [name for name in recording.imported_by(path) if "nbjudge" in name] == [
        "nbjudge.verdict"
    ]


@pytest.mark.slow
def test_a_recording_leaves_heavy_data_where_they_are(tmp_path):
    """A data file with a hole takes no room on the disk, and would take all of the memory."""
    page = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(HEAVY),
            nbformat.v4.new_code_cell("print(peak() - before)"),
        ]
    )
    executed = notebook_tools.execute(
        page, first=[recording.WATCH], settings={"COURSE_WATCH": str(tmp_path)}
    )
    [output] = executed.cells[1].outputs
    assert int(output.text) < 100
    cells = (tmp_path / "cells.jsonl").read_text().splitlines()
    assert [name for name, *_ in json.loads(cells[0])] == ["heavy.onnx"]
