"""The models and outputs of the pages are those of their code."""

import notebook_tools
import pytest
import recording

# A page without a recording shows no models, and none that are old. `make notebooks` and `make zoo`
# record.
RECORDED = [
    path for path in notebook_tools.reading_notebooks() if recording.name(path) in recording.index()
]


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
