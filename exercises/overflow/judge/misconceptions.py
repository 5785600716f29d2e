"""What students get wrong in `overflow`, each with a stored answer that shows it. The first that a
list of names shows explains it.
"""

from __future__ import annotations

import numpy as np

from nbjudge.findings import Causes, Section

OVERFLOW = Section("lab-7-01/03-fp16#overflow")


class Mistakes:
    """Those that a rung recognises by itself."""

    in_place = OVERFLOW.mistake("""You can find the values without changing the model. If you need
        more outputs, add them to a copy.""")


WRONG_NAMES = Causes()


@WRONG_NAMES.misconception(OVERFLOW)
def nan_forgotten(facts):
    """Zero divided by zero is no infinity: it is NaN, and belongs in the list too. numpy.isfinite is
    false for both.
    """
    return facts.missing and all(
        np.isnan(value).any() and not np.isinf(value).any() for value in facts.missing
    )


@WRONG_NAMES.misconception(OVERFLOW)
def all_of_it(facts):
    """One number is enough: a value holds an infinity if any of its numbers is infinite, and not
    only if all of them are.
    """
    return facts.missing and all(np.isfinite(value).any() for value in facts.missing)


@WRONG_NAMES.misconception(OVERFLOW)
def first_output_only(facts):
    """A node can write several values, and each is one to look at: go over all names of
    node.output.
    """
    missing = set(facts.expected) - set(facts.found)
    return missing and missing <= facts.later


@WRONG_NAMES.misconception(OVERFLOW)
def half_only(facts):
    """A float32 value can be infinite or NaN too, for instance behind a division by zero. It is in
    the list as any other value is.
    """
    return facts.missing and all(value.dtype == np.float32 for value in facts.missing)


@WRONG_NAMES.misconception(OVERFLOW)
def outputs_left_out(facts):
    """An output of the graph is a value like any other: a node writes it, and it can be the first
    that is not finite.
    """
    missing = set(facts.expected) - set(facts.found)
    return missing and missing <= facts.outputs


@WRONG_NAMES.misconception(OVERFLOW)
def cpu_runtime(facts):
    """Finite outputs prove nothing, and ONNX Runtime computes float16 in float32 on a CPU. Evaluate
    every value in float16.
    """
    return not facts.found


@WRONG_NAMES.misconception(OVERFLOW)
def sorts_names(facts):
    """An overflow further down is often the consequence of one further up. Go over the nodes in the
    order of the graph.
    """
    if set(facts.expected) == set(facts.found):
        return "the right names in another order, or more than once"
    return ""


@WRONG_NAMES.misconception(OVERFLOW)
def names_nodes(facts):
    """A value has another name than the node that writes it: take the names from node.output."""
    if any(name not in facts.values for name in facts.found):
        return "names that no value has"
    return ""


@WRONG_NAMES.misconception(OVERFLOW)
def blames_masks(facts):
    """A mask of minus infinities is intended, and so is what follows from it. A Constant, an
    initializer and a feed do not overflow.
    """
    if facts.given.intersection(facts.too_many):
        return "names of numbers that the model or its feeds bring along"
    if not facts.expected and not any(map(facts.is_finite, facts.found)):
        return "names where nothing overflows"
    return ""


@WRONG_NAMES.misconception(OVERFLOW)
def lists_downstream(facts):
    """The other values only pass an infinity on. Look at what a node reads before you blame it."""
    if facts.too_many and not any(map(facts.is_finite, facts.too_many)):
        brought = not all(map(facts.is_finite, facts.given))
        source = "an infinity that a feed or a constant brings" if brought else "an overflow"
        is_more = set(facts.expected) <= set(facts.found)
        return f"{'also ' * is_more}values behind {source}"
    return ""


@WRONG_NAMES.misconception(OVERFLOW)
def first_only(facts):
    """After an infinity, values can be finite again and overflow a second time: 1/inf is 0, and a
    Clip ends an infinity. So go on after the first. If your values come from a session, it hands
    on a float32 number where the model has that infinity, because it computes in float32 between
    its Casts.
    """
    return "some of the names" if not facts.too_many else ""


@WRONG_NAMES.misconception(OVERFLOW)
def finite_values(facts):
    """Some of these values are finite on these feeds. Whether a value overflows depends on its
    numbers and on its type: evaluate it. A float32 value holds far more than 65504.
    """
    return True


# In the order in which they are asked: each takes for granted that those before it do not explain
# the list.
