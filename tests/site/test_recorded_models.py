"""The models and outputs of the pages are those of their code."""

import json

import nbformat
import notebook_tools
import pytest
import recording

# A page without a recording shows no models, and none that are old. `make notebooks` and `make zoo`
# record.
RECORDED = [
    path for path in notebook_tools.reading_notebooks() if recording.name(path) in recording.index()
]

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


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_the_models_of_a_notebook_were_recorded_from_its_code(path):
    name = recording.name(path)
    command = "make zoo" if path == notebook_tools.ZOO else f"python tools/site/recording.py {name}"
    assert recording.index()[name]["code"] == recording.code(notebook_tools.read(path)), (
        f"the code has changed since its models were recorded: {command}"
    )


@pytest.mark.parametrize("path", notebook_tools.runnable_notebooks(), ids=lambda path: path.stem)
def test_the_outputs_of_a_notebook_are_those_of_its_recorded_run(path):
    """What another run would write otherwise depends on the machine, and is left out."""
    name = recording.name(path)
    assert recording.index()[name]["outputs"] == notebook_tools.digest_of_outputs(
        notebook_tools.read(path)
    ), f"outputs that this code did not give: python tests/notebook_tools.py {name}"


def test_each_recorded_model_belongs_to_a_cell():
    index = recording.index()
    cells = {
        name: {cell.id for cell in notebook_tools.read(recording.ROOT / name).cells}
        for name in index
    }
    assert not [
        (name, cell) for name in index for cell in index[name]["cells"] if cell not in cells[name]
    ]
    named = {
        model[1] for each in index.values() for found in each["cells"].values() for model in found
    }
    assert {path.stem for path in recording.MODELS.glob("*.onnx")} == named


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
