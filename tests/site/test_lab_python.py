"""What a lab's page loads to check it: that it holds no answer, that NumPy is taken by its sum, and
that what stands in for `safetensors` reads and writes what the library does.
"""

import ast
import hashlib
import importlib.util
import io
import json
import zipfile
from pathlib import Path

import lab_pages
import lab_python
import nbformat
import pytest
import vendor
import wheels
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from safetensors import SafetensorError
from safetensors.numpy import load, save

from nbjudge import exercises, practice
from nbjudge.course.stored import read
from nbjudge.references import read_references

ROOT = Path(__file__).resolve().parents[2]
EXERCISES = ("calibration", "integer_layer", "quantize", "safetensors")
# So many lines of an answer, one after the other, tell how it is done.
TELLING = 3
LOCK = {"info": {"version": "1.2.3"}}


@pytest.fixture(scope="module")
def loaded() -> dict[str, bytes]:
    """The files of course.zip."""
    return dict(lab_python.contents(ROOT, list(EXERCISES)))


def runs(source: str) -> set[str]:
    """The source's code, in runs of `TELLING` lines, without indentation, comments, docstrings and
    what every answer has in common.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body[0] = ast.Pass()
    lines = [line.strip() for line in ast.unparse(tree).splitlines()]
    lines = [line for line in lines if line and not line.startswith(("def ", "import ", "pass"))]
    return {"\n".join(lines[i : i + TELLING]) for i in range(len(lines) - TELLING + 1)}


def solutions() -> str:
    """The code that the instructor's notebooks have where students write."""
    found = []
    for lab in lab_python.LABS:
        notebook = nbformat.read(ROOT / "solutions" / f"{lab}.ipynb", as_version=4)
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        found += [
            each.source for each in cells if each.metadata.get("nbgrader", {}).get("solution")
        ]
    assert len(found) == 7
    return "\n\n".join(found)


def test_no_answer_is_in_what_the_page_loads(loaded):
    answers = {
        each.name: runs(each.source)
        for name in EXERCISES
        for each in read(ROOT / "exercises" / name / "answers")
    }
    answers["the solution"] = runs(solutions())
    sources = [content.decode() for name, content in loaded.items() if name.endswith(".py")]
    cells = [lab_python.cells(ROOT, lab) for lab in lab_python.LABS]
    sources += [
        each["stub"] for found in cells for task in found.values() for each in task["cells"]
    ]
    told = set().union(*map(runs, sources))
    assert len(answers) > 100
    assert len(told) > 1000
    assert {name: sorted(found & told) for name, found in answers.items() if found & told} == {}


def test_no_method_of_a_judge_is_in_what_the_page_loads(loaded):
    """What it has of `calibration` are the results of its own cases."""
    judging = {name for name in loaded if name.startswith("formatlab_exercises/calibration/judge/")}
    assert "formatlab_exercises/calibration/judge/stored.py" in judging
    assert not any(b"cumsum" in loaded[name] or b"np.log(" in loaded[name] for name in judging)


def test_the_page_loads_what_a_student_s_machine_has_too(loaded):
    parts = {name.partition("/")[0] for name in loaded}
    about = {name for name in parts if name.endswith(".dist-info")}
    own = {"in_page.py", "plain_safetensors.py"}
    assert parts == {"nbjudge", "formatlab", "formatlab_exercises"} | about | own
    assert not [name for name in loaded if "answers" in name or "solution" in name]
    for name in ("nbjudge/grading", "nbjudge/course", "nbjudge/boxes/box.py"):
        assert not [each for each in loaded if each.startswith(name)]


def test_references_in_the_page_are_those_of_public_and_practice_cases(loaded, tmp_path):
    """Of other seeds there is nothing, so nothing of a class's hidden cases."""
    seen = 0
    for name, content in loaded.items():
        if not name.startswith("formatlab_exercises/references/"):
            continue
        (path := tmp_path / Path(name).name).write_bytes(content)
        exercise, _, draw = path.stem.partition("-")
        asked = exercises.get(exercise)
        cases = practice.cases(asked, int(draw)) if draw else asked.public_cases()
        assert set(read_references(path)) == {case.name for case in cases}
        seen += 1
    assert seen == 5 * len(EXERCISES)


def test_what_the_page_loads_is_made_twice_the_same(tmp_path):
    for name in ("one.zip", "other.zip"):
        lab_python.course(ROOT, list(EXERCISES), tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "other.zip").read_bytes()


def test_every_test_cell_of_a_lab_gets_a_part_with_the_cells_before_it():
    found = lab_python.cells(ROOT, "lab-7-01/quantize")
    functions = {
        name: [each["functions"] for each in task["cells"]] for name, task in found.items()
    }
    assert functions == {
        "quantize": [["quantize"]],
        "integer_layer": [["integer_linear"]],
        "calibration": [["percentile_cut"], ["entropy_cut"]],
    }
    [(_, page)] = lab_pages.page(
        ROOT / "labs/lab-7-01/quantize.ipynb", "labs/lab-7-01/quantize.ipynb"
    )
    cells = nbformat.reads(page.decode(), as_version=4).cells
    parts = [i for i, cell in enumerate(cells) if "<lab-check" in cell.source]
    assert [lab_python.checked(cells[i - 1].source) for i in parts] == list(found)
    other = next(iter(lab_pages.page(ROOT / "labs/day-50/gemm.ipynb", "labs/day-50/gemm.ipynb")))
    assert b"<lab-check" not in other[1]


def test_a_cell_is_given_without_what_the_page_does_not_have():
    cell = "import numpy as np\nimport onnxruntime as ort, json\nfrom pathlib import Path\nort.quiet(4)\nA = 1\n"
    assert lab_python.available(cell) == "import numpy as np\nfrom pathlib import Path\nA = 1"
    for lab in lab_python.LABS:
        for task in lab_python.cells(ROOT, lab).values():
            exec(compile(task["given"], lab, "exec"), {})


def made_carrier(folder: Path, inside: str, content: bytes) -> dict[str, str]:
    """A package for pip with one file in it, and how site/wheels.json names it."""
    about = "Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n"
    wheel = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"carried/{inside}", content)
        archive.writestr("carrier-1.0.dist-info/METADATA", about)
        archive.writestr("carrier-1.0.dist-info/WHEEL", wheel)
        archive.writestr("carrier-1.0.dist-info/RECORD", "")
    folder.mkdir()
    (folder / "carrier-1.0-py3-none-any.whl").write_bytes(packed.getvalue())
    digest = hashlib.sha256(packed.getvalue()).hexdigest()
    return {"requirement": "carrier==1.0", "sha256": digest, "folder": "carried"}


@pytest.fixture
def fetched(tmp_path, monkeypatch):
    """Fetch a package `numpy` of a made release of Pyodide, where a carrier holds `content`."""
    right = b"the right bytes"
    package = {"file_name": "numpy-1.whl", "sha256": hashlib.sha256(right).hexdigest()}
    lock, carriers = tmp_path / "lock.json", tmp_path / "wheels.json"
    lock.write_text(json.dumps({**LOCK, "packages": {"numpy": package}}))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))

    def fetch(content: bytes | None, inside: str = "numpy-1.whl") -> Path:
        carrier = {"requirement": "carrier==1.0", "sha256": "0" * 64, "folder": "carried"}
        if content is not None:
            carrier = made_carrier(tmp_path / "index", inside, content)
        carriers.write_text(json.dumps({"numpy": carrier}))
        return wheels.fetch("numpy", lock, carriers, tmp_path / "kept")

    return fetch


def test_a_wheel_is_taken_out_of_the_package_that_carries_it_and_kept(fetched, tmp_path):
    assert fetched(b"the right bytes").read_bytes() == b"the right bytes"
    (tmp_path / "index" / "carrier-1.0-py3-none-any.whl").unlink()
    assert fetched(None).read_bytes() == b"the right bytes"


@pytest.mark.parametrize("carried", [None, b"other bytes"])
def test_a_wheel_of_another_sum_is_not_taken_and_the_message_says_what_to_do(
    fetched, tmp_path, carried
):
    with pytest.raises(vendor.CannotFetch) as caught:
        fetched(carried)
    assert "Put numpy-1.whl of that release" in str(caught.value)
    assert str(tmp_path / "kept") in str(caught.value)
    assert not list((tmp_path / "kept").glob("*.whl"))


def test_a_carrier_that_no_longer_holds_the_wheel_is_like_none(fetched):
    with pytest.raises(vendor.CannotFetch, match="numpy for Pyodide"):
        fetched(b"the right bytes", inside="numpy-2.whl")


def test_a_kept_wheel_that_was_damaged_is_fetched_again(fetched, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "numpy-1.whl").write_bytes(b"half of it")
    assert fetched(b"the right bytes").read_bytes() == b"the right bytes"


def test_without_numpy_the_site_is_built_and_its_pages_say_so(tmp_path, monkeypatch, capsys):
    def nothing(*_):
        raise vendor.CannotFetch("numpy could not be fetched. Put it there.")

    monkeypatch.setattr(wheels, "fetch", nothing)
    lab_python.collect(ROOT, tmp_path, tmp_path)
    listed = json.loads((tmp_path / lab_python.LIST).read_text())
    assert listed["lacks"] == "NumPy"
    assert set(listed["exercises"]) == set(EXERCISES)
    assert "Put it there." in capsys.readouterr().err


def stand_in():
    """What the page has in place of `safetensors`."""
    path = ROOT / "site" / "python" / "plain_safetensors.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PLAIN = stand_in()
TENSORS = st.dictionaries(
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6).filter(
        lambda name: name != "__metadata__"
    ),
    arrays.arrays(
        st.sampled_from(["?", "u1", "i1", "<i2", "<u4", "<i8", "<f2", "<f4", "<f8"]),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ),
    max_size=4,
)


@given(TENSORS)
def test_what_stands_in_for_safetensors_reads_and_writes_what_the_library_does(tensors):
    for found in (load(PLAIN.save(tensors)), PLAIN.load(save(tensors))):
        assert found.keys() == tensors.keys()
        for name, array in tensors.items():
            assert found[name].dtype == array.dtype
            assert found[name].shape == array.shape
            assert found[name].tobytes() == array.tobytes()


@given(st.binary(max_size=40))
def test_what_is_no_file_is_refused_as_the_library_refuses_it(data):
    try:
        expected = load(data)
    except SafetensorError:
        with pytest.raises(PLAIN.SafetensorError):
            PLAIN.load(data)
    else:
        assert PLAIN.load(data).keys() == expected.keys()
