"""`formatlab.diff(a, b)`: what changed between two ONNX models, and what did not.

The package is callable, so that the name is the same for the function and for its parts.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from formatlab.diff import agreement
from formatlab.diff.errors import CannotDiff
from formatlab.diff.reading import Source, read
from formatlab.diff.report import Diff
from formatlab.diff.whole import compare, false_declarations

__all__ = ["CannotDiff", "Diff", "diff"]


def diff(a: Source, b: Source, inputs: int = 3, large: bool = False) -> Diff:
    """What changed from `a` to `b`: paths of ONNX files, their bytes, or ModelProtos.

    Where something did, both are run on `inputs` drawn inputs, in a process of their own, and
    compared by the float64 yardstick; 0 compares the graphs alone. Models of more than 1 GiB are
    run only if `large` is true.

    Raises CannotDiff where one of the two cannot be read.
    """
    first = read(a, "A")
    second = read(b, "B")
    compared = compare(first, second)
    found = Diff(a=first, b=second, found=compared.changes, scopes=compared.scopes)
    if inputs and (not found.is_same or found.remarks_on_shapes):
        runs = agreement.ask(
            first, second, compared.scopes[0], 0 if found.is_same else inputs, large
        )
        found.agreement = runs.agreement
        found.found += false_declarations(runs.false)
        found.refresh()
    return found


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Diff:
        return diff(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
