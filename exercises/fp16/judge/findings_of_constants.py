"""Findings of `fp16` about constants: which of them is not what its rounding says, and why."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.fp16.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.models import name_of
from nbjudge.contract import Case, Finding

PAGE = "lab-7-01/03-fp16"


def constant_missing(case: Case, name: str) -> Finding:
    what = f"the constant {name_of(name)}" if case.public else "a constant"
    cause = "It was renamed, folded into another one, or removed. Initializers keep their names; a Constant may become one."
    return Finding(
        "every initializer and Constant under its name",
        f"{what} is gone",
        cause,
        f"{PAGE}#conversion-routes",
    )


def constant_reshaped(case: Case, name: str) -> Finding:
    what = (
        f"the constant {name_of(name)} has another shape"
        if case.public
        else "a constant of another shape"
    )
    cause = "numpy turns a scalar into an array of one element where it is written in brackets. Keep the shape."
    return Finding(
        "constants of the shapes that they had", what, cause, f"{PAGE}#conversion-routes"
    )


def does_not_fit(have: np.ndarray) -> Finding:
    expected = "a tensor with a finite number beyond float16's range stays float32, unchanged"
    read = f"{PAGE}#numbers-that-do-not-fit"
    if have.dtype == np.float16 and np.isinf(have).any():
        infinite = "one of its numbers is infinite" if have.ndim else "infinite"
        found = f"it is float16, and {infinite}"
        return Finding(expected, found, Mistakes.infinite_weights, read)
    if have.dtype == np.float16:
        return Finding(
            expected,
            "it is float16, clipped to a number that is another one",
            Mistakes.library_clips,
            read,
        )
    cause = "The number was changed, by hand or by a converter, so that it fits. The model says what it says."
    return Finding(expected, "it holds another number", cause, read)


def other_type(case: Case, name: str, have: np.ndarray, want: np.ndarray) -> Finding:
    """A constant of another type than its rounding `want`."""
    kind = str(have.dtype)
    what = f"{name_of(name)} is {kind}" if case.public else f"a constant of type {kind}"
    expected = f"constants of type {want.dtype}, where they fit"
    if (kind, str(want.dtype)) != ("float32", "float16"):
        cause = (
            "Floats of 32 bits become float16; integers, Booleans and other types stay as they are."
        )
        return Finding(expected, what, cause, f"{PAGE}#conversion-routes")
    if np.isinf(have).any():
        return Finding(expected, what, Mistakes.keeps_infinities)
    if (np.abs(have) > np.finfo(np.float16).max).any():
        return Finding(expected, what, Mistakes.largest_number)
    cause = (
        "Constants hide in initializers and in Constant nodes, as value, value_float or "
        "value_floats. Only what is too large stays; what is too small is rounded."
    )
    return Finding(expected, what, cause, f"{PAGE}#conversion-routes")


def other_numbers(want: np.ndarray, have: np.ndarray) -> Finding:
    expected = "each number rounded to the nearest float16"
    read = f"{PAGE}#range"
    if have.dtype != np.float16:
        return Finding(
            "integers and Booleans as they were",
            "other ones",
            "Only float32 tensors are converted.",
            read,
        )
    half, small = want.astype(np.float16), np.abs(want) < 2.0**-14
    off = have != half
    if not np.isfinite(want).all() and (off & ~np.isfinite(want)).any():
        return Finding(expected, "an infinity became a finite number", Mistakes.finite_masks, read)
    if off[~small].any():
        return Finding(expected, "numbers that are not the nearest ones", Mistakes.truncates, read)
    if (np.abs(have[off]) > np.abs(half[off])).any():
        return Finding(
            expected,
            "numbers near 0 are raised to the smallest subnormal one",
            Mistakes.library_raises_small,
            read,
        )
    return Finding(expected, "subnormal numbers are 0", Mistakes.flushes_subnormals, read)


def default_changed() -> Finding:
    return Finding(
        "the defaults of graph inputs as they were",
        "another one",
        Mistakes.default_converted,
    )


def stored_twice() -> Finding:
    cause = "The numbers are there once more, in float32, so that the model is no smaller. The rounded ones are enough."
    return Finding(
        "float32 numbers only where they do not fit",
        "more float32 numbers than that",
        cause,
        f"{PAGE}#conversion-routes",
    )
