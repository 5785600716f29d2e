"""What is replaced in packages of others stands in one module of each of our packages, and in one
table; each of these things is still there, and is what its package uses.
"""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = {
    "autograder/nbjudge/_replaced.py": "nbjudge",
    "workbench/formatlab/_replaced.py": "formatlab",
    "exercises/shared/exporting.py": "formatlab_exercises",
}
HEADING = "## What of other packages is replaced"
TABLE = (ROOT / "docs" / "architecture.md").read_text().partition(HEADING)[2].partition("\n## ")[0]
ROWS = [line.strip("| ").split(" | ") for line in TABLE.splitlines() if line.startswith("| `")]
REPLACED = {name: row for row in ROWS for name in re.findall(r"`([^`]+)`", row[0])}
# Settings that their packages document, and modules of our own with their source.
NOT_REPLACED = {
    "linecache.cache[file]",
    "PIL.Image.MAX_IMAGE_PIXELS",
    "sys.modules[OF_COURSE]",
    "sys.modules[__name__].__class__",
    "sys.modules[made.__name__]",
    "sys.modules[name]",
}


def targets(node: ast.AST) -> list[ast.expr]:
    """What a statement, or a call of `mock.patch.object`, puts another value into."""
    if isinstance(node, ast.Assign):
        several = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        several = [node.target]
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "mock.patch.object":
        return [ast.Attribute(node.args[0], ast.literal_eval(node.args[1]))]
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "setattr":
        return [ast.Subscript(node.args[0], node.args[1])]
    else:
        return []
    return [
        one for each in several for one in (each.elts if isinstance(each, ast.Tuple) else [each])
    ]


def imported(tree: ast.AST) -> dict[str, str]:
    """By its name in a module, the full name of each thing that others made."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                found[name] = alias.name if alias.asname else name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return {name: full for name, full in found.items() if full.partition(".")[0] not in OURS}


OURS = {"nbjudge", "formatlab", "formatlab_exercises"}


def replaced(path: Path) -> Iterator[str]:
    """The full names of what a module replaces."""
    tree = ast.parse(path.read_text())
    names = imported(tree)
    for node in ast.walk(tree):
        for target in targets(node):
            root = target
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            if root is target or not isinstance(root, ast.Name) or root.id not in names:
                continue
            full = names[root.id] + ast.unparse(target).removeprefix(root.id)
            # What a program sets for itself, where Python documents it.
            if full.partition(".")[0] not in ("sys", "os") or full.startswith("sys.modules"):
                yield full


def all_replaced() -> Iterator[tuple[str, str]]:
    for root in ("autograder/nbjudge", "workbench/formatlab", "exercises"):
        for path in sorted((ROOT / root).rglob("*.py")):
            if "answers" not in path.parts and path.name != "sealed.py":
                for name in replaced(path):
                    if name not in NOT_REPLACED:
                        yield path.relative_to(ROOT).as_posix(), name


def test_all_of_it_stands_in_three_modules():
    assert [each for each in all_replaced() if each[0] not in MODULES] == []


def test_the_table_has_a_row_for_each_and_no_other():
    found = {name for _, name in all_replaced()}
    # What an import hook or a stand-in makes of a module is no assignment to a name in it.
    modules = {"sys.modules['debugpy']": "debugpy", "sys.modules[_GRAMMAR]": "rfc3987_syntax"}
    hooks = {"sympy", "onnx_ir._symbolic_shapes", "torchvision._meta_registrations"}
    assert REPLACED.keys() == {modules.get(name, name) for name in found} | hooks


@pytest.mark.parametrize("name", REPLACED)
def test_what_is_replaced_is_there(name):
    """In a fresh interpreter: in this one it may have been replaced already."""
    program = f"""
import formatlab
import builtins, importlib
from contextlib import suppress
path = {name.split(".")!r}
for length in range(len(path), 0, -1):
    with suppress(ImportError):
        found = importlib.import_module(".".join(path[:length]))
        break
for part in path[length:]:
    found = getattr(found, part, None) or getattr(builtins, part)
"""
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, f"{name} is gone: {done.stderr[-500:]}"


@pytest.mark.parametrize("name", REPLACED)
def test_a_row_says_why_what_it_gains_and_what_notices(name):
    where, why, gain, noticed = REPLACED[name][1:]
    assert why and gain and where.strip("`") in MODULES
    tests = re.findall(r"`(tests/[^`]+)::(\w+)`", noticed)
    assert tests
    for path, test in tests:
        names = {
            node.name
            for node in ast.walk(ast.parse((ROOT / path).read_text()))
            if isinstance(node, ast.FunctionDef)
        }
        assert test in names, f"{path} has no {test}"


def test_torch_s_exporter_uses_what_is_put_into_it():
    """It would go on without: several times as slow, and nothing would say so."""
    program = """
import torch
from formatlab_exercises.shared import exporting
exporting.prepare()
from torch._export import utils
from torch.export import _trace
from torch.onnx._internal._lazy_import import onnxscript_apis
from torch.onnx._internal.exporter import _schemas
for _ in range(2):
    torch.onnx.export(torch.nn.Linear(3, 2).eval(), (torch.zeros(1, 3),), dynamo=True, verbose=False)
print(
    "used:",
    onnxscript_apis.get_torchlib_ops.cache_info().misses == 1,
    _schemas.op_signature_from_function.cache_info().hits > 100,
    utils._materialize_cpp_cia_ops.seen is not None,
    "print(" in __import__("inspect").getsource(_trace),
)
"""
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True)
    assert "used: True True True True" in done.stdout, done.stdout + done.stderr


def test_nbgrader_finds_our_classes_where_it_looks_for_its_own():
    from nbjudge.course import nbgrader_hooks

    nbgrader_hooks.install()
    expected = {
        "converters.Autograde": nbgrader_hooks.SandboxedAutograde,
        "apps.autogradeapp.Autograde": nbgrader_hooks.SandboxedAutograde,
        "apps.api.Autograde": nbgrader_hooks.SandboxedAutograde,
        "apps.generateassignmentapp.GenerateAssignment": nbgrader_hooks.PublishingGenerate,
        "apps.generatefeedbackapp.GenerateFeedback": nbgrader_hooks.StudentFeedback,
    }
    for place, kind in expected.items():
        module, _, name = f"nbgrader.{place}".rpartition(".")
        assert getattr(importlib.import_module(module), name) is kind
