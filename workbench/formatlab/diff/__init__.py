"""`formatlab.diff(a, b)`: what changed between two ONNX models, and what did not.

The package is callable, so that the name is the same for the function and for its parts.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from formatlab.diff import agreement
from formatlab.diff.errors import CannotDiff
from formatlab.diff.inputs import RUNS, SEED, Range
from formatlab.diff.reading import Source, read
from formatlab.diff.report import Diff
from formatlab.diff.whole import compare, false_declarations

__all__ = ["CannotDiff", "Diff", "diff"]


def diff(
    a: Source,
    b: Source,
    inputs: int = RUNS,
    large: bool = False,
    *,
    feeds: str | os.PathLike[str] | None = None,
    expected: str | os.PathLike[str] | None = None,
    seed: int = SEED,
    sizes: Mapping[str, int] | None = None,
    ranges: Mapping[str, Range] | None = None,
) -> Diff:
    """What changed from `a` to `b`: paths of ONNX files, their bytes, or ModelProtos.

    Where something did, both are run on `inputs` drawn inputs, in a process of their own, and
    compared by the float64 yardstick; 0 compares the graphs alone. Models of more than 1 GiB are
    run only if `large` is true.

    `feeds` is an .npz or .safetensors file of inputs, or a folder of .pb files as onnx's test data
    has it, which takes the place of drawn ones; `expected` has the outputs that belong to them in
    the same form, and both models are held against it. Of drawn inputs `sizes` fixes free
    dimensions by name, or as `input:axis`, and `ranges` says {input: (low, high)} of integers, with
    `high` left out.

    Raises CannotDiff where one of the two cannot be read, or something that was given does not fit.
    """
    first = read(a, "A")
    second = read(b, "B")
    compared = compare(first, second)
    found = Diff(a=first, b=second, found=compared.changes, scopes=compared.scopes)
    is_asked = not found.is_same or expected is not None
    if inputs and (is_asked or found.remarks_on_shapes):
        asked = agreement.Asked(
            runs=inputs if is_asked else 0,
            seed=seed,
            sizes=sizes or {},
            ranges=ranges or {},
            feeds=None if feeds is None else Path(feeds),
            expected=None if expected is None else Path(expected),
            large=large,
        )
        runs = agreement.ask(first, second, compared.scopes[0], asked)
        found.agreement = runs.agreement
        found.found += false_declarations(runs.false)
        found.refresh()
    return found


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Diff:
        return diff(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
__signature__ = inspect.signature(diff)  # so that help() shows what the call takes
