"""`check` as a student meets it: from a plain interpreter, and from a notebook in a real kernel."""

import shutil
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import nbjudge
from nbjudge.checking import CheckFailed, check
from nbjudge.exercises import get
from nbjudge.references import (
    FOLDER,
    BadReferences,
    keep_or_write,
    public_references,
    read_references,
    write_references,
)
from tests.mutants import answers, mutants, reference_functions

ROOT = Path(__file__).parents[1]
EXERCISE = get("inspect")
describe = reference_functions("inspect")["describe"]
WRONG = {mutant.name: mutant.functions["describe"] for mutant in mutants("inspect")}


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """The working directory of a released lab: public references beside the notebook."""
    references = public_references(
        EXERCISE, answers(EXERCISE, {"describe": describe}, EXERCISE.public_cases())
    )
    (tmp_path / "references").mkdir()
    write_references(tmp_path / "references" / "inspect.safetensors", references)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def failure(*arguments) -> str:
    with pytest.raises(CheckFailed) as caught:
        check(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_right_answer_passes_and_hears_that_hidden_cases_decide(lab, capsys):
    assert nbjudge.check("inspect", describe) is None
    shown = capsys.readouterr().out
    assert "✗" not in shown and "hidden cases decide the mark" in shown
    assert all(item.title in shown for item in EXERCISE.items)


def test_the_first_broken_rung_is_explained_in_order(lab, capsys):
    assert "“structure” is broken" in failure("inspect", WRONG["first_opset"])
    shown = capsys.readouterr().out
    parts = [
        "Case: vendor_first",
        "Expected: opset",
        "Found: opset: the version in the first entry",
        "Likely cause:",
        "Read again: notebooks/day-50/",
    ]
    positions = [shown.index(part) for part in parts]
    assert positions == sorted(positions)


def test_the_untouched_stub_is_told_so(lab, capsys):
    failure("inspect", WRONG["empty"])
    assert "the stub" in capsys.readouterr().out


def test_an_exception_shows_its_text_and_the_students_own_line(lab, capsys):
    failure("inspect", WRONG["joins_with_plus"])
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "TypeError: unsupported operand type(s) for +: 'PosixPath' and 'str', in the line:" in shown
    )
    assert 'directory + "/" + name' in shown


def test_an_exit_is_an_answer_that_raised(lab, capsys):
    failure("inspect", lambda model, directory=None: exit(0))
    assert "raises SystemExit" in capsys.readouterr().out


def test_an_interrupt_is_the_students_own(lab):
    def interrupted(model, directory=None):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check("inspect", interrupted)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("inspect",), '0 functions were given, 1 are needed. Write check("inspect", describe)'),
        (("inspect", describe, describe), "2 functions were given"),
        (("inspect", {"opset": 18}), "describe is not a function but of type dict"),
        (("inspct", describe), "Did you mean 'inspect'?"),
        (("something else", describe), "the exercises are: benchmark, cache, calibration"),
    ],
)
def test_a_wrong_call_says_what_to_write(lab, arguments, words):
    assert words in failure(*arguments)


def test_missing_references_say_where_they_were_looked_for(lab, monkeypatch):
    """None beside the notebook, and none installed with the exercise."""
    shutil.rmtree(lab / "references")
    monkeypatch.setattr("nbjudge.checking.folder_of", lambda exercise_id, beside: beside / FOLDER)
    message = failure("inspect", describe)
    assert (
        str(lab / "references" / "inspect.safetensors") in message
        and "fetch the assignment again" in message
        and "course release" not in message
    )


def test_damaged_references_are_named(lab):
    path = lab / "references" / "inspect.safetensors"
    path.write_bytes(path.read_bytes()[:100])
    assert "is damaged" in failure("inspect", describe)


def test_references_of_another_version_are_named(lab):
    path = lab / "references" / "inspect.safetensors"
    write_references(path, {"another case": {"opset": np.array([18])}})
    assert "another version" in failure("inspect", describe)


def test_references_survive_their_file_and_are_the_same_bytes_again(tmp_path):
    arrays = {
        "b": {"y": np.arange(6, dtype=np.int64).reshape(2, 3).T},
        "a": {"x": np.array(1.5, np.float32), "none": np.zeros((0, 4), np.uint8)},
    }
    write_references(tmp_path / "one", arrays)
    write_references(tmp_path / "two", dict(reversed(arrays.items())))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    found = read_references(tmp_path / "one")
    for case, expected in arrays.items():
        for key, array in expected.items():
            assert found[case][key].dtype == array.dtype
            assert found[case][key].shape == array.shape and np.array_equal(found[case][key], array)


@pytest.mark.parametrize(("factor", "kept"), [(1 + 1e-6, True), (1 + 1e-3, False)])
def test_a_release_keeps_the_bytes_of_references_that_only_rounding_moved(tmp_path, factor, kept):
    before, after = tmp_path / "before", tmp_path / "after"
    array = np.linspace(-1, 3, 7, dtype=np.float32)
    write_references(before, {"a": {"x": array, "n": np.arange(3)}})
    new = {"a": {"x": (array * factor).astype(np.float32), "n": np.arange(3)}}
    keep_or_write(after, new, before)
    assert (after.read_bytes() == before.read_bytes()) is kept
    before.write_bytes(b"damaged")
    keep_or_write(after, new, before)
    assert np.array_equal(read_references(after)["a"]["x"], new["a"]["x"])


def test_a_slash_in_a_case_name_is_refused(tmp_path):
    with pytest.raises(ValueError, match="slash"):
        write_references(tmp_path / "one", {"a/b": {"x": np.zeros(1)}})


def test_bytes_that_are_no_references_are_refused(tmp_path):
    (tmp_path / "one").write_bytes(b"\xff" * 64)
    with pytest.raises(BadReferences):
        read_references(tmp_path / "one")


def run_cells(folder: Path, *sources: str) -> nbformat.NotebookNode:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in sources]
    )
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=600,
        startup_timeout=600,
        resources={"metadata": {"path": str(folder)}},
        allow_errors=True,
    )
    try:
        return client.execute()
    except CellExecutionError:
        return notebook


def test_a_notebook_shows_the_ladder_and_one_line_of_error(lab):
    notebook = run_cells(
        lab,
        "from nbjudge import check",
        "def describe(model, directory=None):\n    return {}",
        'check("inspect", describe)',
    )
    shown, error = notebook.cells[2].outputs
    assert shown.output_type == "display_data" and {"text/html", "text/plain"} <= shown.data.keys()
    assert "Likely cause" in shown.data["text/html"] and "Likely cause" in shown.data["text/plain"]
    assert error.ename == "CheckFailed"
    assert error.traceback == ["CheckFailed: " + error.evalue]
