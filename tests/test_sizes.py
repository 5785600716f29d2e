"""How long functions and files are: most of them fit into one look. What a function is for, its
docstring says, and counts.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("autograder", "exercises", "workbench")
# The most lines that half of the functions, and nine in ten, may have. They go down, never up.
MOST = {"autograder": (7, 16), "exercises": (6, 16), "workbench": (7, 16)}
MOST_OF_A_FILE = 300


def files(package):
    """The package's own code: stored answers are what students write, templates what authors get."""
    folders = {"answers", "templates"}
    found = (ROOT / package).rglob("*.py")
    return [path for path in found if not folders & set(path.relative_to(ROOT).parts[:-1])]


def lengths(package):
    """Of every function, its decorators left out."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in files(package)]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, kinds)]
    return sorted(node.end_lineno - node.lineno + 1 for node in nodes)


@pytest.mark.parametrize("package", PACKAGES)
def test_functions_are_short(package):
    found = lengths(package)
    half, nine_in_ten = MOST[package]
    assert found[len(found) // 2] <= half
    assert found[int(0.9 * len(found))] <= nine_in_ten


@pytest.mark.parametrize("package", PACKAGES)
def test_no_file_is_long(package):
    counted = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in files(package)
    }
    assert {path: count for path, count in counted.items() if count > MOST_OF_A_FILE} == {}
