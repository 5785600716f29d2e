"""What students get wrong in `overflow`, each with a stored answer that shows it. The first that a
list of names shows explains it.
"""

from __future__ import annotations

from autograder.findings import Section, misconception

OVERFLOW = Section("lab-7-01/03-fp16#overflow")


class Mistakes:
    """Those that a rung recognises by itself."""

    in_place = OVERFLOW.mistake("""You can find the values without changing the model. If you need
        more outputs, add them to a copy.""")


@misconception(OVERFLOW)
def cpu_runtime(expected, found):
    """Finite outputs prove nothing, and ONNX Runtime computes float16 in float32 on a CPU. Evaluate
    every value in float16.
    """
    return "no names at all" if not found else ""


@misconception(OVERFLOW)
def sorts_names(expected, found):
    """An overflow further down is often the consequence of one further up. Go over the nodes in the
    order of the graph.
    """
    if set(expected) == set(found):
        return "the right names in another order, or more than once"
    return ""


@misconception(OVERFLOW)
def lists_downstream(expected, found):
    """The other values only pass an infinity on. Look at what a node reads before you blame it."""
    return "also values behind an overflow" if expected and set(expected) <= set(found) else ""


@misconception(OVERFLOW)
def blames_masks(expected, found):
    """A mask of minus infinities is intended, and so is what follows from it. A Constant, an
    initializer and a feed do not overflow.
    """
    return "" if expected else "names where nothing overflows"


@misconception(OVERFLOW)
def first_only(expected, found):
    """After an infinity, values can be finite again and overflow a second time: 1/inf is 0, and a
    Clip ends an infinity. Don't stop at the first.
    """
    return "some of the names" if set(found) <= set(expected) else ""


@misconception(OVERFLOW)
def names_nodes(expected, found):
    """A value has another name than the node that writes it. And a graph output that is infinite
    need not be where the overflow happened.
    """
    return "other names"


# In the order in which they are asked: each takes for granted that those before it do not explain
# the list.
WRONG_NAMES = (cpu_runtime, sorts_names, lists_downstream, blames_masks, first_only, names_nodes)
