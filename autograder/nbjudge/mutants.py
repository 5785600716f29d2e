"""Changed versions of a program, each with one small mistake in it, made from its syntax tree.

A mutant says which line it changes and how that line reads afterwards, so that the same change can
be made by hand. A change that Python refuses is left out.
"""

from __future__ import annotations

import ast
import copy
import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# More nested than anybody writes by hand. Python's own parser and printer call themselves.
MOST_DEPTH = 60
MOST_NODES = 8000


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One change. `was` is the text of line `line` and `now` what stands there afterwards; without
    a `now`, the lines from `line` to `last` are gone. `source` is the whole program.
    """

    operator: str
    line: int
    last: int
    was: str
    now: str
    source: str


class TooLarge(ValueError):
    """The program is larger, or nested deeper, than is looked at."""


def mutants(source: str) -> list[Mutant]:
    """Return the mutants of a program, in the order of its lines. Raises SyntaxError, ValueError."""
    tree = ast.parse(source)
    _refuse_large(tree)
    found: dict[str, Mutant] = {}
    program = _Program(source, tree)
    for statement in program.statements:
        for mutant in _of(statement, program):
            found.setdefault(mutant.source, mutant)
    return sorted(found.values(), key=lambda one: (one.line, one.operator, one.now))


def steps(source: str) -> list[int]:
    """Return the lines of which it is clear how often they run: a statement or the header of an
    `if` stands on each alone, as a whole. Raises SyntaxError, ValueError.
    """
    program = _Program(source, ast.parse(source))
    return sorted(
        one.lineno
        for one in program.statements
        if (_is_simple(one) or isinstance(one, ast.If)) and _header_end(one) == one.lineno
    )


def _refuse_large(tree: ast.AST) -> None:
    level: list[ast.AST] = [tree]
    count = 0
    for _ in range(MOST_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        count += len(level)
    if level or count > MOST_NODES:
        raise TooLarge(f"the code has over {MOST_NODES} parts, or is nested over {MOST_DEPTH} deep")


class _Program:
    """A program's lines and statements; of those that share a line, none."""

    def __init__(self, source: str, tree: ast.Module):
        self.lines = source.splitlines()
        self.dumped = ast.dump(tree)
        every = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
        begin = Counter(line for one in every for line in {one.lineno, _header_end(one)})
        self.statements = [
            one for one in every if begin[one.lineno] == 1 and begin[_header_end(one)] == 1
        ]
        self.alone = {id(block[0]) for block in _blocks(tree) if len(block) == 1}

    def changed(self, operator: str, line: int, last: int, now: str) -> Mutant | None:
        """The program with other lines in the place of those; None where Python refuses it, or it
        is the same program.
        """
        old = self.lines[line - 1 : last]
        indent = old[0][: len(old[0]) - len(old[0].lstrip())]
        new = [f"{indent}{now}"] if now else []
        source = "\n".join([*self.lines[: line - 1], *new, *self.lines[last:], ""])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)
                is_same = ast.dump(ast.parse(source)) == self.dumped
                compile(source, "<mutant>", "exec")
        except (SyntaxError, ValueError):
            return None
        was = " ".join(each.strip() for each in old)
        return (
            None
            if is_same
            else Mutant(operator=operator, line=line, last=last, was=was, now=now, source=source)
        )


def _of(statement: ast.stmt, program: _Program) -> Iterator[Mutant]:
    """The mutants in which a statement, or the header of a compound one, reads differently or is gone."""
    line = statement.lineno
    is_elif = program.lines[line - 1].lstrip().startswith("elif")
    bare = _bare(statement)
    for place, node in enumerate(ast.walk(bare)):
        for operator, change in _changes(node):
            copied = copy.deepcopy(bare)
            change(next(itertools.islice(ast.walk(copied), place, None)))
            now = _printed(copied)
            if "\n" not in now:
                now = f"el{now}" if is_elif else now
                if mutant := program.changed(operator, line, _header_end(statement), now):
                    yield mutant
    if isinstance(statement, _GOES) and not _is_docstring(statement):
        now = "pass" if id(statement) in program.alone and not is_elif else ""
        if mutant := program.changed("delete", line, statement.end_lineno or line, now):
            yield mutant


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield block


def _is_simple(statement: ast.stmt) -> bool:
    return not hasattr(statement, "body") and not hasattr(statement, "cases")


def _bare(statement: ast.stmt) -> ast.stmt:
    """A compound statement without what stands in it."""
    if _is_simple(statement):
        return statement
    bare = copy.copy(statement)
    for name in ("body", "orelse", "finalbody", "handlers", "cases", "decorator_list"):
        if hasattr(bare, name):
            setattr(bare, name, [ast.Pass()] if name == "body" else [])
    return bare


def _printed(statement: ast.stmt) -> str:
    """The statement as Python writes it; of a compound one, the header."""
    text = ast.unparse(statement)
    return text if _is_simple(statement) else text.rpartition("\n")[0]


def _header_end(statement: ast.stmt) -> int:
    """The last line of a simple statement, or of a compound one's header."""
    if _is_simple(statement):
        return statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None)
    if not body:
        return statement.lineno
    decorated = [one.lineno for one in getattr(body[0], "decorator_list", ())]
    return max(statement.lineno, min([body[0].lineno, *decorated]) - 1)


Change = Callable[[ast.AST], None]
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
}
# Functions that are taken for each other.
_NAMES = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "rint": "floor",
    "round": "floor",
    "floor": "ceil",
    "ceil": "floor",
    "append": "remove",
}
_GOES = (ast.Assign, ast.AugAssign, ast.Expr, ast.Continue, ast.Break, ast.If)


def _changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """What can be done to a node, with the name of the kind of mistake."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
        yield "comparison", _set_op
    if isinstance(node, ast.BoolOp):
        yield "and-or", _swap_bool
        for place in range(len(node.values)):
            yield "operand", lambda same, place=place: _drop(same, place)  # type: ignore[misc]
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        yield "arithmetic", _set_arithmetic
    if isinstance(node, ast.Constant) and type(node.value) is int:
        for step in (1, -1):
            yield "constant", lambda same, step=step: _add(same, step)  # type: ignore[misc]
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield "constant", _flip
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield "sign", _unsigned
    if isinstance(node, ast.Name) and node.id in ("min", "max", "any", "all"):
        yield "name", _rename
    if isinstance(node, ast.Attribute) and node.attr in _NAMES:
        yield "name", _rename
    if isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords:
        yield "arguments", _swap_arguments
    if isinstance(node, ast.If):
        yield "condition", _always
    if isinstance(node, ast.IfExp):
        yield "branches", _swap_branches
    if isinstance(node, ast.comprehension) and node.ifs:
        yield "filter", _unfiltered


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


# Each takes a node of the kind that it was offered for.
def _set_op(node) -> None:
    node.ops = [_COMPARISONS[type(node.ops[0])]()]


def _swap_bool(node) -> None:
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def _drop(node, place: int) -> None:
    del node.values[place]
    if len(node.values) == 1:
        _become(node, node.values[0])


def _become(node: ast.AST, other: ast.AST) -> None:
    """Let a node be another one, wherever it stands."""
    node.__class__ = type(other)
    node.__dict__ = dict(vars(other))


def _set_arithmetic(node) -> None:
    node.op = _ARITHMETIC[type(node.op)]()


def _add(node, step: int) -> None:
    node.value += step


def _flip(node) -> None:
    node.value = not node.value


def _unsigned(node) -> None:
    _become(node, node.operand)


def _rename(node) -> None:
    if isinstance(node, ast.Name):
        node.id = _NAMES[node.id]
    else:
        node.attr = _NAMES[node.attr]


def _swap_arguments(node) -> None:
    node.args.reverse()


def _always(node) -> None:
    node.test = ast.Constant(True)


def _swap_branches(node) -> None:
    node.body, node.orelse = node.orelse, node.body


def _unfiltered(node) -> None:
    node.ifs = []
