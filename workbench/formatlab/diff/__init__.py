"""`formatlab.diff(a, b)`: what changed between two ONNX models, and what did not.

The package is callable, so that the name is the same for the function and for its parts.
"""

from __future__ import annotations

import sys
from types import ModuleType

from formatlab.diff.errors import CannotDiff
from formatlab.diff.reading import Source, read
from formatlab.diff.report import Diff
from formatlab.diff.whole import compare

__all__ = ["CannotDiff", "Diff", "diff"]


def diff(a: Source, b: Source, inputs: int = 0) -> Diff:
    """Compare two models: paths, bytes or ModelProtos. Raises CannotDiff."""
    first, second = read(a, "A"), read(b, "B")
    found = compare(first, second)
    return Diff(first, second, found.changes, found.scopes)


class _Callable(ModuleType):
    def __call__(self, *arguments, **options) -> Diff:
        return diff(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
