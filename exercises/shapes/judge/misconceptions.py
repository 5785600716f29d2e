"""What students get wrong in `shapes` apart from the numbers; for those see `formulas` and `readings`."""

from __future__ import annotations

from formatlab_exercises.shapes.judge.ways import CONV, KINDS


class Mistakes:
    """Those that a rung recognises by itself."""

    fixed_answer = KINDS.mistake("""Few of these numbers come from the arguments. Often an answer
        is fixed, or taken from a variable outside the function. Call the function on two models of
        your own, and count by hand.""")
    gives_the_size = CONV.mistake("""The result is the number of windows, and not the number of
        positions that they move over.""")
    absent_keys = KINDS.mistake("A key is left out, or spelled differently. A count may be 0.")
    shared_names = KINDS.cause("""Several graphs of this model use one name for different
        values{some}. Look each value up among the declarations of its own graph alone, and begin
        every graph with an empty table.""")
    changes_the_model = KINDS.mistake("""Reading a field that is not set is harmless; add(),
        append() and inference in place are not. Work on a copy.""")
    other_error = CONV.mistake("""Where no window is left, the task asks for a ValueError. A caller
        that catches it does not catch another exception, such as that of an assert.""")
    floats = CONV.mistake("math.floor and // of ints give ints; / and numpy.floor give floats.")
