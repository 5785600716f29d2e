"""Reference outputs as one safetensors file per exercise: tensors named `<case>/<key>`, the same
bytes for the same arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load, save

from nbjudge import exercises
from nbjudge.contract import Answer, Exercise

MARK = "made from"
FOLDER = "references"
# Two processors sum a few hundred float32 products in another order, which is a thousand roundings at
# most, relative to the largest number.
ROUNDING = 1000 * float(np.finfo(np.float32).eps)


class BadReferences(ValueError):
    """The file is not one that `write_references` wrote."""


def folder_of(exercise_id: str, beside: Path) -> Path:
    """Where the expected results of an exercise lie: in `references/` beside the notebook, or, for a
    notebook that was opened alone, in the installed package that the exercise is of.
    """
    own = beside / FOLDER
    if _file(own, exercise_id).is_file():
        return own
    folder = exercises.find(exercise_id)
    packaged = folder.parent / FOLDER if folder else own
    return packaged if _file(packaged, exercise_id).is_file() else own


def _file(references: Path, exercise_id: str) -> Path:
    return references / f"{exercise_id}.safetensors"


def public_references(
    exercise: Exercise, answers: Mapping[str, Answer]
) -> dict[str, dict[str, np.ndarray]]:
    """The digests of the reference solution's `answers` to the exercise's public cases. Raises
    KeyError when one is missing.
    """
    return {
        case.name: exercise.digest(case, answers[case.name]) for case in exercise.public_cases()
    }


def write_references(
    path: str | Path, references: Mapping[str, Mapping[str, np.ndarray]], mark: str | None = None
) -> None:
    """Write `{case: {key: array}}`, and what `read_mark` gives. Raises ValueError when a case's
    name holds a slash.
    """
    if any("/" in case for case in references):
        raise ValueError("the name of a case must not hold a slash")
    tensors = {
        f"{case}/{key}": np.require(array, requirements="C")
        for case, arrays in references.items()
        for key, array in arrays.items()
    }
    Path(path).write_bytes(save(tensors, {MARK: mark} if mark else None))


def keep_or_write(
    path: Path, references: Mapping[str, Mapping[str, np.ndarray]], before: Path
) -> None:
    """Write references as `write_references` does, or the bytes of the file `before` where it holds the
    same numbers but for rounding: a release on another processor changes no file.
    """
    try:
        is_kept = before.is_file() and _are_the_same(references, read_references(before))
    except BadReferences:
        is_kept = False
    if is_kept:
        path.write_bytes(before.read_bytes())
    else:
        write_references(path, references)


def _are_the_same(
    new: Mapping[str, Mapping[str, np.ndarray]], old: Mapping[str, Mapping[str, np.ndarray]]
) -> bool:
    def names(references: Mapping[str, Mapping[str, np.ndarray]]) -> set[tuple[str, str]]:
        return {(case, key) for case, arrays in references.items() for key in arrays}

    return names(new) == names(old) and all(
        _is_the_same(array, old[case][key])
        for case, arrays in new.items()
        for key, array in arrays.items()
    )


def _is_the_same(new: np.ndarray, old: np.ndarray) -> bool:
    if (new.dtype, new.shape) != (old.dtype, old.shape):
        return False
    if new.dtype.kind != "f":
        return np.array_equal(new, old)
    largest = np.abs(old[np.isfinite(old)]).max(initial=0.0)
    return np.allclose(new, old, rtol=0, atol=ROUNDING * largest, equal_nan=True)


def read_mark(path: str | Path) -> str | None:
    """The mark that the file was written with. Raises as `read_references`."""
    try:
        with safe_open(path, "np") as file:
            return (file.metadata() or {}).get(MARK)
    except SafetensorError as error:
        raise BadReferences(f"{path} is damaged: {error}") from None


def read_references(path: str | Path) -> dict[str, dict[str, np.ndarray]]:
    """What `write_references` wrote. Raises FileNotFoundError, and BadReferences for a damaged
    file.
    """
    try:
        tensors = load(Path(path).read_bytes())
    except SafetensorError as error:
        raise BadReferences(f"{path} is damaged: {error}") from None
    references: dict[str, dict[str, np.ndarray]] = {}
    for name, array in tensors.items():
        case, _, key = name.partition("/")
        references.setdefault(case, {})[key] = array
    return references
