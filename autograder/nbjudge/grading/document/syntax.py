"""Syntax trees, one at a time: Python 3.11 counts the depth of a tree for all threads together, and
fails when two are made at once.
"""

from __future__ import annotations

import ast
from threading import Lock

_one = Lock()


def parse(source: str | bytes) -> ast.Module:
    """Raises SyntaxError, and ValueError for text that holds a NUL character."""
    with _one:
        return ast.parse(source)


def without_docstrings(tree: ast.Module) -> ast.Module:
    """The same tree, in which a docstring that says something else changes nothing."""
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return tree
