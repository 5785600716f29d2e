"""Rows of codes that one way of looking for pairs takes for another: safe ones that it would change,
and ones that saturate where it does not look.

Each makes the codes of a layer with a row for each output.
"""

from __future__ import annotations

import numpy as np

# A code that two of an output may not have, and the limit of the codes beside it.
LARGE, SMALL = 120, 7


def _small(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return rng.integers(-SMALL, SMALL + 1, shape)


def _places(rng: np.random.Generator, shape: tuple[int, int], number: int) -> np.ndarray:
    """So many places of each row, where no two rows have the same ones first."""
    starts = rng.permutation(shape[1])[: shape[0]]
    return (starts[:, None] + 3 * np.arange(number)) % shape[1]


def _with(rng: np.random.Generator, shape: tuple[int, int], values: tuple[int, ...]) -> np.ndarray:
    codes = _small(rng, shape)
    np.put_along_axis(codes, _places(rng, shape, len(values)), np.array([values]), axis=1)
    return codes


def one_in_all(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """One large code in the whole layer."""
    codes = _small(rng, shape)
    codes[rng.integers(shape[0]), rng.integers(shape[1])] = LARGE
    return codes


def one_for_each_output(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """One large code for each output, and for an input one at most."""
    return _with(rng, shape, (LARGE,))


def of_one_input(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """One large code for each output, all of them for the same input."""
    codes = _small(rng, shape)
    codes[:, rng.integers(shape[1])] = LARGE
    return codes


def opposite(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Two large codes for each output, of which one is negative."""
    return _with(rng, shape, (LARGE, -LARGE))


def just_fitting(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """The two largest codes of an output add up to 128, and the two smallest to -128."""
    return _with(rng, shape, (LARGE, 8, -100, -28))


def just_above(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """The two largest codes of an output add up to 129, and the two smallest to -128."""
    return _with(rng, shape, (LARGE, 9, -100, -28))


def just_below(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """The two smallest codes of an output add up to -129, and the two largest to 128."""
    return _with(rng, shape, (-LARGE, -9, 100, 28))


def in_one_row(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """One output has two large codes, and it is neither the first nor the last."""
    codes = _small(rng, shape)
    places = rng.choice(shape[1], 2, replace=False)
    codes[rng.integers(1, shape[0] - 1), places] = LARGE
    return codes


def two_apart(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Two large codes and two small ones for each output, of which no two are neighbours."""
    return _with(rng, shape, (LARGE, -LARGE, LARGE, -LARGE))


def negative(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Only the smallest codes leave 16 bits."""
    drawn = rng.normal(size=shape)
    down, up = drawn.min(axis=1, keepdims=True), drawn.max(axis=1, keepdims=True)
    return np.rint(np.where(drawn < 0, 127 * drawn / -down, 57 * drawn / up)).astype(int)


def positive(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Only the largest codes do."""
    return -negative(rng, shape)
