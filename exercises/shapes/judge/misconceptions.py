"""What students get wrong in `shapes` apart from the numbers; for those see `formulas` and `readings`."""

from __future__ import annotations

from autograder.findings import cause, misconception
from exercises.shapes.judge.ways import CONV, KINDS


@misconception(KINDS)
def fixed_answer():
    """The answer does not come from the arguments: it is fixed, or taken from a variable outside
    the function.
    """


@misconception(KINDS)
def absent_keys():
    """A key is left out, or spelled differently. A count may be 0."""


@cause(KINDS)
def shared_names():
    """Several graphs of this model use one name for different values{some}. Look each value up
    among the declarations of its own graph alone, and begin every graph with an empty table.
    """


@misconception(KINDS)
def changes_the_model():
    """Reading a field that is not set is harmless; add(), append() and inference in place are not.
    Work on a copy.
    """


@misconception(CONV)
def floats():
    """math.floor and // of ints give ints; / and numpy.floor give floats."""
