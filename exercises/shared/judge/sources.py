"""The source of what a case hands over, as a text that tells what it does and nothing else.

Modules are written as classes in a file of the judge's half, with names and docstrings for readers.
Students have that file too. So what crosses into the box has other names: a class is `Module`, its
parts are numbered, comments, docstrings and annotations are left out.

The file is also all that somebody needs to compute the texts and the bytecode of all modules
beforehand. So a hidden module is also written in one of very many ways that compute the same: with
drawn names, with statements that nothing depends on, and with expressions of the same value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeGuard

import numpy as np

MODULE, PART = "Module", "Part"
Definition = ast.ClassDef | ast.FunctionDef | ast.Assign
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_OTHER_WAY: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Gt: ast.Lt,
    ast.Lt: ast.Gt,
    ast.GtE: ast.LtE,
    ast.LtE: ast.GtE,
}


@dataclass(frozen=True)
class Variant:
    """Draws how a module is written. `mentioned` are functions of torch that it may name without
    calling them; the compiler of TorchScript takes no such name.
    """

    rng: np.random.Generator
    mentioned: tuple[str, ...] = ()


def written(
    path: Path,
    name: str,
    *,
    names: Mapping[str, str] | None = None,
    called: str = MODULE,
    variant: Variant | None = None,
) -> bytes:
    """Return the source of what `path` defines as `name`, under the name `called`, and of all that
    it needs there. `names` has other names for arguments, attributes and stand-ins; with a `variant`
    it is written in a way that is drawn. Raises KeyError for a name that the file does not define.
    """
    names = names or {}
    imports, defined = _read(path)
    order: list[str] = []
    wanted = [name]
    while wanted:
        each = wanted.pop()
        if each in order:
            continue
        order.append(each)
        for word in _names_in(defined[each]):
            other = names.get(word, word)
            wanted += [other] if other in defined else [word] if word in defined else []
    parts = [each for each in order[1:] if isinstance(defined[each], ast.ClassDef)]
    renamed = {
        **names,
        **{part: f"{PART}{place}" for place, part in enumerate(parts, 1)},
        order[0]: called,
    }
    renamed |= {word: renamed[other] for word, other in names.items() if other in order}
    body = [_Neutral(renamed).visit(_copy(defined[each])) for each in defined if each in order]
    if variant is not None:
        body = [_Varied(variant).visit(each) for each in body]
    used = {word for each in body for word in _names_in(each)}
    kept = [line for line in imports if _bound(line) & used]
    tree = ast.Module(body=[*kept, *body], type_ignores=[])
    return (ast.unparse(ast.fix_missing_locations(tree)) + "\n").encode()


def classes(path: Path) -> list[str]:
    """Return the names of the classes of a file."""
    return [name for name, node in _read(path)[1].items() if isinstance(node, ast.ClassDef)]


def other_attributes(path: Path, rng: np.random.Generator) -> dict[str, str]:
    """Return drawn names for the attributes and methods that the classes of a file have as their own."""
    _, defined = _read(path)
    own = {
        node.attr if isinstance(node, ast.Attribute) else node.name
        for each in defined.values()
        for node in ast.walk(each)
        if _is_set_on_self(node) or _is_method(node)
    }
    # Without a number, which a finding on a hidden case may not show.
    words = [f"part_{first}{second}" for first in "abcdefgh" for second in "abcdefgh"]
    drawn = rng.permutation(words)[: len(own)].tolist()
    return dict(zip(sorted(own), drawn, strict=True))


def _is_set_on_self(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def _is_method(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    """Whether it is one that torch does not know by its name."""
    return (
        isinstance(node, ast.FunctionDef)
        and [each.arg for each in node.args.args[:1]] == ["self"]
        and node.name not in ("__init__", "forward")
    )


@lru_cache(maxsize=8)
def _read(path: Path) -> tuple[list[ast.stmt], dict[str, Definition]]:
    """The imports of a file, and what it defines, by name, in their order."""
    imports: list[ast.stmt] = []
    defined: dict[str, Definition] = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(node)
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            defined[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            defined[node.targets[0].id] = node
    return imports, defined


def _copy(node: Definition) -> Definition:
    [copied] = ast.parse(ast.unparse(node)).body
    assert isinstance(copied, Definition)
    return copied


def _names_in(node: ast.AST) -> Iterator[str]:
    return (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _bound(line: ast.stmt) -> set[str]:
    """The names that an import binds."""
    assert isinstance(line, ast.Import | ast.ImportFrom)
    return {(alias.asname or alias.name).partition(".")[0] for alias in line.names}


class _Neutral(ast.NodeTransformer):
    """Other names, and neither docstrings nor annotations."""

    def __init__(self, names: Mapping[str, str]):
        self._names = names

    def _named(self, name: str) -> str:
        return self._names.get(name, name)

    def _without_docstring(self, body: list[ast.stmt]) -> list[ast.stmt]:
        is_text = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        return (body[1:] if is_text else body) or [ast.Pass()]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name, node.body = self._named(node.name), self._without_docstring(node.body)
        node.body = [each for each in node.body if not isinstance(each, ast.AnnAssign)] or [
            ast.Pass()
        ]
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name, node.body = self._named(node.name), self._without_docstring(node.body)
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg, node.annotation = self._named(node.arg), None
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._named(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            node.attr = self._named(node.attr)
        return node


class _Varied(ast.NodeTransformer):
    """The same functions, written in a drawn way.

    1. Local names are drawn.
    2. A comparison is turned, and of an `if` with two sides the sides are exchanged, or not.
    3. Statements on whole numbers, on which nothing depends, stand at drawn places: each is an
       expression of a dozen drawn operators, so no two modules have the same bytecode.
    """

    def __init__(self, variant: Variant):
        self._variant = variant
        self._rng = variant.rng
        self._taken: set[str] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        own = {
            each.id
            for each in ast.walk(node)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        } - {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
        renamed = {name: self._name() for name in sorted(own)}
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                each.id = renamed.get(each.id, each.id)
        self.generic_visit(node)
        # What a parent class sets up comes first.
        first = 1 if node.name == "__init__" else 0
        place = first
        for statement in self._idle():
            place = int(self._rng.integers(place, len(node.body) + 1))
            if place == len(node.body) and isinstance(node.body[-1], ast.Return):
                place -= 1
            node.body.insert(place, statement)
            place += 1
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and type(node.ops[0]) in _OTHER_WAY and self._rng.integers(2):
            turned = _OTHER_WAY[type(node.ops[0])]()
            return ast.Compare(node.comparators[0], [turned], [node.left])
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if node.orelse and self._rng.integers(2):
            return ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if self._rng.integers(2):
            return ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)
        return node

    def _idle(self) -> list[ast.stmt]:
        """Numbers, and then expressions of them; mentions of functions anywhere between."""
        numbers = [self._name() for _ in range(int(self._rng.integers(2, 5)))]
        lines = [f"{name} = {int(self._rng.integers(2, 10))}" for name in numbers]
        lines += [
            f"{self._name()} = {self._expression(numbers)}"
            for _ in range(int(self._rng.integers(2, 5)))
        ]
        if self._variant.mentioned:
            for word in self._rng.permutation(self._variant.mentioned):
                if self._rng.integers(2):
                    line = f"{self._name()} = torch.{word}"
                    lines.insert(int(self._rng.integers(len(lines) + 1)), line)
        return ast.parse("\n".join(lines)).body

    def _expression(self, numbers: list[str]) -> str:
        """A dozen operators on the numbers, small enough for any integer."""
        terms = [
            f"{self._rng.choice(numbers)} {self._rng.choice(['+', '-', '*'])} {self._rng.choice(numbers)}"
            for _ in range(6)
        ]
        whole = f"({terms[0]})"
        for term in terms[1:]:
            whole = f"{whole} {self._rng.choice(['+', '-'])} ({term})"
        return whole

    def _name(self) -> str:
        """A name without a number, which a finding on a hidden case may not show."""
        while True:
            letters = self._rng.choice(list(_LETTERS), 4)
            name = f"{letters[0]}{letters[1]}_{letters[2]}{letters[3]}"
            if name not in self._taken:
                self._taken.add(name)
                return name
