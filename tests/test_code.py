"""How code is written where no linter looks: records are filled by keyword, nothing is packed to be
splatted, each value is assigned on a line of its own.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# More than so many fields are not told apart by their places.
BY_POSITION = 4
# Records with more fields by position, and why.
EXCEPTIONS = {
    "Row": "the table of rulings is read by its columns",
    "Exhibit": "an exercise's own faults are written like the museum's: name, diagnosis, rung",
    "Case": "an exercise lists its cases as name, files, parameters, is it public, seed",
}


@cache
def trees() -> dict[str, ast.Module]:
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text())
        for top in ("autograder", "workbench")
        for path in sorted((ROOT / top).rglob("*.py"))
    }


def nodes(*kinds: type) -> Iterator[tuple[str, ast.AST]]:
    """Each node of these kinds, with where it stands."""
    for file, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, kinds):
                yield f"{file}:{node.lineno}", node


def test_a_record_of_many_fields_is_filled_by_keyword():
    wrong = [
        f"{place}: {node.name}"
        for place, node in nodes(ast.ClassDef)
        if node.name not in EXCEPTIONS and fields_by_position(node) > BY_POSITION
    ]
    assert wrong == []


def test_each_value_is_assigned_on_a_line_of_its_own():
    wrong = [
        f"{place}: {ast.unparse(node)}"
        for place, node in nodes(ast.Assign)
        if isinstance(node.value, ast.Tuple)
        and any(isinstance(target, ast.Tuple) for target in node.targets)
        and not swaps(node)
    ]
    assert wrong == []


def test_nothing_is_packed_to_be_splatted_into_a_call():
    wrong = [
        f"{place}: {ast.unparse(call)}"
        for place, function in nodes(ast.FunctionDef, ast.AsyncFunctionDef)
        for call in splatting(function)
    ]
    assert wrong == []


def splatting(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.Call]:
    """The calls into which it splats what it has packed itself."""
    packed = {
        node.targets[0].id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and is_packed(node.value)
    }
    found = []
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        splatted = [each.value for each in call.args if isinstance(each, ast.Starred)]
        splatted += [each.value for each in call.keywords if each.arg is None]
        if {each.id for each in splatted if isinstance(each, ast.Name)} & packed:
            found.append(call)
    return found


def fields_by_position(node: ast.ClassDef) -> int:
    """How many fields of a dataclass or a NamedTuple may be given by position; 0 for other classes."""
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
    fields = [each for each in fields if "ClassVar" not in ast.unparse(each.annotation)]
    if any(ast.unparse(base).endswith("NamedTuple") for base in node.bases):
        return len(fields)
    for decorator in map(ast.unparse, node.decorator_list):
        if decorator.startswith("dataclass"):
            words = [ast.unparse(each.annotation) for each in fields]
            if "kw_only=True" in decorator:
                return 0
            return words.index("KW_ONLY") if "KW_ONLY" in words else len(words)
    return 0


def swaps(node: ast.Assign) -> bool:
    """Whether a value is read that the same line overwrites."""
    targets = {ast.unparse(each) for each in node.targets[0].elts}
    read = {
        ast.unparse(each)
        for value in node.value.elts
        for each in ast.walk(value)
        if isinstance(each, ast.expr)
    }
    return bool(targets & read)


def is_packed(value: ast.expr) -> bool:
    """Whether it is a tuple or a mapping written out with its parts, and nothing of another one."""
    if isinstance(value, ast.Tuple):
        return not any(isinstance(each, ast.Starred) for each in value.elts)
    return isinstance(value, ast.Dict) and None not in value.keys
