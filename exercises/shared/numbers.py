"""Numbers that a student's function returns, as JSON that keeps their kind."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

LARGEST = 2**63


def encoded(value: Any) -> object:
    """A JSON form of a number that keeps its kind: an int, an int written as a float, or anything
    else by its type.
    """
    try:
        if not isinstance(value, (bool, np.bool_)):
            number = operator.index(value)
            return number if -LARGEST <= number < LARGEST else {"type": "int"}
    except TypeError:
        pass
    if (
        isinstance(value, (float, np.floating))
        and -LARGEST < value < LARGEST
        and float(value).is_integer()
    ):
        return {"float": int(value)}
    return {"type": type(value).__name__}


def number(value: object) -> int | None:
    """The number in an encoded value, whether int or float; None for anything else."""
    found = value.get("float") if isinstance(value, dict) else value
    return found if type(found) is int else None
