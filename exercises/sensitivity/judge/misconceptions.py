"""What students get wrong in `sensitivity`, each with a stored answer that shows it. `rungs`
recognises them.
"""

from __future__ import annotations

from autograder.findings import misconception

SQNR = "lab-7-01/04-int8#sqnr"
KINDS = "lab-7-01/04-int8#dynamic-and-static"


@misconception(KINDS)
def in_place():
    """A model that was passed in is changed. Copy it first: new = ModelProto();
    new.CopyFrom(small).
    """


@misconception(KINDS)
def rounded_input():
    """The layer has its float weight, and reads an input that was rounded to 8 bits. Let it read
    what the QuantizeLinear reads.
    """


@misconception(KINDS)
def rounded_weight():
    """You turned the codes into floats again. That does not bring back what rounding took from
    them. Take the weight from the float model.
    """


@misconception(KINDS)
def requantized():
    """The layers that you do not put back stay as they are: with the same codes and scales."""


@misconception(KINDS)
def lost():
    """A layer is in neither of the two forms. It keeps the name of its output, and its weight is
    the stored codes of the quantized model or the initializer of the float model.
    """


@misconception(SQNR)
def over_budget():
    """Count bytes, not layers. A float32 weight takes four bytes for each of its numbers, and its
    code takes one.
    """


@misconception(SQNR)
def unchanged():
    """You put no layer back, although there is room for one."""


@misconception(SQNR)
def ends_alone():
    """In many networks the first and the last layer are the sensitive ones. In this one they are
    not. Measure it.
    """


@misconception(SQNR)
def by_weight():
    """Rounding changed this layer's weight most, and the output hardly depends on it. Measure at
    the output.
    """


@misconception(SQNR)
def only_one():
    """There is room for more layers than this. Try sets of layers, and not only single ones."""


@misconception(SQNR)
def another_layer():
    """Another choice that fits gives a better output. Put each layer back in turn and measure the
    SQNR of the output.
    """
