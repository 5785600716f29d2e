"""Each package does its work without the others, and a notebook where it is opened: alone in an empty
folder, with what is installed. (The reading notebooks are run so by test_notebooks.py.)
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nbjudge import exercises, practice
from nbjudge.checking import public_verdict
from nbjudge.references import folder_of, read_references
from tests.mutants import reference_functions

ROOT = Path(__file__).resolve().parents[1]
COURSE = Path(sys.executable).with_name("course")
INSTALLED = [
    path.parent.name
    for folder in exercises.installed().values()
    for path in sorted(folder.glob("*/ask.py"))
]
# Makes packages absent, and what they say of themselves to others, as where they are not installed.
WITHOUT = """
import importlib.machinery, importlib.metadata, sys
absent = {absent!r}
class Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in absent else super().find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Finder
entry_points = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **named: [
    each for each in entry_points(**named) if each.value.partition(".")[0] not in absent
]
"""


def run(code: str, folder: Path, absent: list[str]) -> subprocess.CompletedProcess:
    script = folder / "script.py"
    script.write_text(WITHOUT.format(absent=absent) + code)
    command = [sys.executable, "-P", str(script)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("exercise_id", INSTALLED)
def test_what_is_right_for_public_cases_and_draws_is_installed_with_the_exercise(
    exercise_id, tmp_path
):
    folder = folder_of(exercise_id, tmp_path)
    public = {case.name for case in exercises.get(exercise_id).public_cases()}
    assert public and public <= read_references(folder / f"{exercise_id}.safetensors").keys()
    assert practice.draws(folder, exercise_id)


def test_a_function_is_checked_in_an_empty_folder(tmp_path):
    """And not where nothing is installed with the exercise: the comparison above can fail."""
    exercise = exercises.get("saturation")
    functions = reference_functions("saturation")
    assert public_verdict(exercise, functions, tmp_path).broken is None
    wrong = dict.fromkeys(functions, lambda *given: None)
    assert public_verdict(exercise, wrong, tmp_path).broken is not None
    assert folder_of("no_such_exercise", tmp_path) == tmp_path / "references"


def test_a_lab_is_checked_alone_in_an_empty_folder(tmp_path):
    shutil.copy(ROOT / "solutions" / "lab-7-01" / "quantize.ipynb", tmp_path)
    done = subprocess.run(
        [COURSE, "check", "quantize.ipynb"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("hidden cases decide the mark") == 3 and "✗" not in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["quantize.ipynb"]


def test_the_harness_imports_no_model_library(tmp_path):
    """Every module of it, where none is installed, and no exercise either."""
    code = """
import importlib, pkgutil, nbjudge
names = [each.name for each in pkgutil.walk_packages(nbjudge.__path__, "nbjudge.")]
for name in names:
    if ".boxes.inside" not in name and not name.endswith("__main__"):
        importlib.import_module(name)
assert len(names) > 150, len(names)
print("imported")
"""
    absent = ["torch", "torchvision", "onnx", "onnxruntime", "transformers", "formatlab"]
    absent.append("formatlab_exercises")
    done = run(code, tmp_path, absent)
    assert done.stdout.strip() == "imported", done.stderr


def test_the_library_measures_a_model_without_the_harness(tmp_path):
    # Each variant is tried in a process of its own, which imports the program once more.
    code = """
def main():
    import sys
    from formatlab import cli
    from formatlab.models import fixtures
    from onnx import TensorProto, helper, save
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    save(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 20)]), "m.onnx")
    sys.argv = ["course", "bench", "m.onnx", "--rounds", "3", "--warmup", "0"]
    cli.main()


if __name__ == "__main__":
    main()
"""
    done = run(code, tmp_path, ["nbjudge", "formatlab_exercises", "nbgrader"])
    assert done.returncode == 0, done.stderr
    assert "A/A" in done.stdout
