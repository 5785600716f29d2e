"""Imports go one way: the harness knows no exercise and loads no model library, notebooks' helpers
know no harness.
"""

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# From the ground up: a module may import those of its own layer and of the layers before it.
LAYERS = (
    (
        "findings",
        "given",
        "leftovers",
        "limits",
        "mutants",
        "nearest",
        "plain_text",
        "typed",
        "verdict",
        "wire",
        "_replaced",
    ),
    ("contract",),
    ("asking", "exercises", "references", "render", "sections", "rungs", "failures", "values"),
    ("boxes", "checking", "defending", "display", "practice"),
    ("grading",),
    ("course", "doctor", "lab"),
    ("cli", "commands"),
)
# The packages of grading, from the ground up, held in the same way.
PACKAGES_OF_GRADING = (
    "document",
    "config",
    "published",
    "store",
    "intake",
    "faults",
    "notebook",
    "execution",
    "marks",
    "reference",
    "reuse",
    "gradebook",
    "submission",
    "cluster",
    "run",
)
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}
# What runs in a box finds the ladder, and nothing of grading; `given` is what stands there in place
# of a judge.
# The harness installs without any of these.
NOT_ITS = {
    "torch",
    "torchvision",
    "transformers",
    "onnx",
    "onnxruntime",
    "formatlab",
    "formatlab_exercises",
}
PACKAGES = {"nbjudge": ROOT / "autograder", "formatlab": ROOT / "workbench"}


def modules(package):
    if package == "formatlab_exercises":
        return sorted((ROOT / "exercises").rglob("*.py"))
    return sorted((PACKAGES[package] / package).rglob("*.py"))


@cache
def imported(path):
    """(name, is it imported when the module is) of each module that it imports."""
    tree = ast.parse(path.read_text())
    outside = {id(node) for node in tree.body}
    found = []
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        found += [(name, id(node) in outside) for name in names]
    return found


def layer(module):
    parts = module.split(".")
    return HEIGHT.get(parts[1]) if parts[0] == "nbjudge" and len(parts) > 1 else None


def short(path):
    return path.relative_to(ROOT).as_posix()


def test_no_module_of_the_harness_imports_a_higher_one_or_an_exercise():
    wrong = []
    for path in modules("nbjudge"):
        own = path.relative_to(PACKAGES["nbjudge"]).with_suffix("").parts[1]
        if own == "__init__":
            continue
        assert own in HEIGHT, f"name the layer of {short(path)} above"
        wrong += [
            f"{short(path)} imports {name}"
            for name, at_once in imported(path)
            if name.split(".")[0] in NOT_ITS
            or (at_once and layer(name) is not None and layer(name) > HEIGHT[own])
        ]
    assert wrong == []


def test_no_package_of_grading_imports_a_higher_one():
    """In functions and for annotations neither."""
    wrong = []
    for height, package in enumerate(PACKAGES_OF_GRADING):
        higher = PACKAGES_OF_GRADING[height + 1 :]
        paths = sorted((PACKAGES["nbjudge"] / "nbjudge" / "grading" / package).rglob("*.py"))
        assert paths
        for path in paths:
            words = [name.split(".") for name, _ in imported(path)]
            wrong += [
                f"{short(path)} imports {'.'.join(word)}"
                for word in words
                if word[:2] == ["nbjudge", "grading"] and len(word) > 2 and word[2] in higher
            ]
    assert wrong == []


def test_every_module_of_grading_is_in_a_package():
    folder = PACKAGES["nbjudge"] / "nbjudge" / "grading"
    assert [path.name for path in folder.glob("*.py")] == ["__init__.py"]
    found = {path.parent.name for path in folder.glob("*/__init__.py")}
    assert found == set(PACKAGES_OF_GRADING)


def test_the_library_knows_neither_harness_nor_exercises():
    wrong = [
        f"{short(path)} imports {name}"
        for path in modules("formatlab")
        if path.name != "cli.py"  # hands over to the harness where that is installed
        for name, _ in imported(path)
        if name.split(".")[0] in ("formatlab_exercises", "nbjudge")
    ]
    assert wrong == []


def test_an_exercise_knows_the_contract_and_no_other_exercise():
    wrong = []
    for path in modules("formatlab_exercises"):
        parts = path.relative_to(ROOT).parts
        if "answers" in parts or len(parts) < 3:
            continue
        for name, _ in imported(path):
            word = name.split(".")
            beyond = layer(name) is not None and word[1] in ("grading", "course", "cli", "boxes")
            own = word[0] != "formatlab_exercises" or len(word) < 2
            another = not own and word[1] not in (parts[1], "shared")
            # The half that asks is loaded beside student code, and the half that judges is not.
            judge = "judge" in word and "judge" not in parts
            if beyond or another or judge:
                wrong.append(f"{short(path)} imports {name}")
    assert wrong == []


def test_no_modules_import_one_another_in_a_circle():
    """Imports inside functions count too, and those for annotations alone."""
    paths = {
        dotted(path): path
        for package in ("nbjudge", "formatlab", "formatlab_exercises")
        for path in modules(package)
        if "answers" not in path.parts
    }
    assert circle(paths) == []


def test_a_circle_is_found_wherever_its_imports_stand(tmp_path):
    first = tmp_path / "first.py"
    second = tmp_path / "second.py"
    first.write_text("from here import second\nclass Thing: pass\n")
    for back in (
        "from here.first import Thing",
        "def late():\n    from here import first",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from here.first import Thing",
    ):
        second.write_text(back)
        paths = {"here.first": first, "here.second": second}
        assert set(circle(paths)) == {"here.first", "here.second"}, back
    second.write_text("import json")
    assert circle(paths) == []


def circle(paths):
    """Names of modules that import one another, in their order; none if there is no circle."""
    graph = {name: set(needed(path, paths)) - {name} for name, path in paths.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as found:
        return found.args[1]
    return []


def dotted(path):
    """Below the folder of its distribution; an exercise lies below `exercises`."""
    top, *parts = path.relative_to(ROOT).with_suffix("").parts
    parts = ["formatlab_exercises", *parts] if top == "exercises" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def needed(path, known):
    """Those of the known modules that it imports: of `from package import name` the module of that
    name, if there is one.
    """
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        base = "" if isinstance(node, ast.Import) else node.module
        for alias in node.names:
            name = f"{base}.{alias.name}".lstrip(".")
            yield from [each for each in (name, base) if each in known][:1]
