"""Arrays as bytes: how the labs about numbers hand them to a student's function, and take them
back.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from safetensors.numpy import load, save

from nbjudge.contract import WrongType

GIVEN, ANSWER = "given.safetensors", "answer.safetensors"
LARGEST = 1 << 20
# What a function gives back beside its results: 1 where it changed an array that it was handed.
CHANGED = "changed"


def packed(arrays: Mapping[str, np.ndarray]) -> bytes:
    # ascontiguousarray would give a number a dimension.
    return save({name: np.array(array, order="C") for name, array in arrays.items()})


def unpacked(data: bytes) -> dict[str, np.ndarray]:
    return load(data)


def array_of(value: object, expected: str) -> np.ndarray:
    """The value as an array of numbers. Raises WrongType for anything else."""
    found = np.asarray(value)
    if found.dtype.kind not in "biuf" or found.size > LARGEST:
        raise WrongType(
            expected,
            type(value).__name__ if found.dtype.kind not in "biuf" else f"{found.size} numbers",
        )
    return found


def number_of(value: object, expected: str) -> np.ndarray:
    """The value as one number, without dimensions. Raises WrongType for anything else."""
    found = array_of(value, expected)
    if found.size != 1:
        raise WrongType(expected, f"an array of shape {list(found.shape)}")
    return found.reshape(())


def untouched(before: Mapping[str, np.ndarray], after: Mapping[str, np.ndarray]) -> np.ndarray:
    """0 where a call left its arrays as they were, else 1."""
    return np.array(
        any(before[name].tobytes() != np.asarray(after[name]).tobytes() for name in before),
        np.uint8,
    )
