"""The practice draws of a release: what the solution gives for fresh cases. A draw is computed
again only where something changed.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from nbjudge import practice
from nbjudge.contract import Case, Exercise
from nbjudge.grading.document import syntax
from nbjudge.grading.document.cells import Notebook
from nbjudge.references import BadReferences, read_mark, write_references

Compute = Callable[[Exercise, Notebook, Sequence[Case]], Mapping[str, Mapping[str, np.ndarray]]]


def held(labs: Path) -> int:
    """How many draws of an exercise a released lab holds, at most."""
    numbers = (
        int(file.stem.rpartition("-")[2])
        for file in (labs / "references" / practice.FOLDER).glob("*-*.safetensors")
    )
    return max(numbers, default=0)


def write(
    exercise: Exercise,
    solution: Notebook,
    *,
    before: Path,
    target: Path,
    count: int,
    compute: Compute,
) -> int:
    """Write draws 1 to `count` into `target`, a folder `references`: those of `before` that are
    still right, the others from `compute`.

    Returns how many were computed.
    """
    (target / practice.FOLDER).mkdir(parents=True, exist_ok=True)
    new = 0
    for draw in range(1, count + 1):
        cases = practice.cases(exercise, draw)
        mark = _mark(exercise, solution, cases)
        old = practice.path(before, exercise.id, draw)
        if is_right(old, mark):
            practice.path(target, exercise.id, draw).write_bytes(old.read_bytes())
        else:
            write_references(
                practice.path(target, exercise.id, draw), compute(exercise, solution, cases), mark
            )
            new += 1
    return new


def stale(exercise: Exercise, solution: Notebook, references: Path) -> list[int]:
    """The draws in a folder `references` that belong to other cases or another solution."""
    return [
        draw
        for draw in practice.draws(references, exercise.id)
        if not is_right(
            practice.path(references, exercise.id, draw),
            _mark(exercise, solution, practice.cases(exercise, draw)),
        )
    ]


def is_right(path: Path, mark: str) -> bool:
    try:
        return read_mark(path) == mark
    except (FileNotFoundError, BadReferences):
        return False


def _mark(exercise: Exercise, solution: Notebook, cases: Sequence[Case]) -> str:
    """A hash of what the results depend on: the cases, the solution's code, and what is kept of its
    answers.
    """
    total = hashlib.sha256()
    for case in cases:
        told = [case.name, case.seed, dict(case.parameters)]
        total.update(json.dumps(told, sort_keys=True, default=str).encode())
        for name, data in sorted(case.files.items()):
            total.update(name.encode() + hashlib.sha256(data).digest())
    total.update(_code(type(exercise.judge).digest).encode())
    code = ("".join(cell["source"]) for cell in solution["cells"] if cell["cell_type"] == "code")
    total.update("\0".join(code).encode())
    return total.hexdigest()


def _code(function: Callable) -> str:
    """What a function does, whatever its layout, comments and docstring; the same text for every
    version of Python.
    """
    tree = syntax.parse(textwrap.dedent(inspect.getsource(function)))
    return ast.unparse(syntax.without_docstrings(tree))
