"""What students get wrong in `sensitivity`, each with a stored answer that shows it. `rungs`
recognises them.
"""

from __future__ import annotations

from nbjudge.findings import Section

SQNR = Section("lab-7-01/04-int8#sqnr")
KINDS = Section("lab-7-01/04-int8#dynamic-and-static")


class Mistakes:
    """Those that a rung recognises by itself."""

    in_place = KINDS.mistake("""A model that was passed in is changed. Copy it first: new =
        ModelProto(); new.CopyFrom(small).""")
    names_taken = KINDS.mistake("""Two tensors of your model have one name: `small` may use a name of
        the float model for another tensor, and two layers may read one. Give each tensor that you
        add a new name, and add it once.""")
    rounded_input = KINDS.mistake("""The layer has its float weight, and reads an input that was
        rounded to 8 bits. Let it read what the QuantizeLinear reads.""")
    rounded_weight = KINDS.mistake("""You turned the codes into floats again. That does not bring
        back what rounding took from them. Take the weight from the float model.""")
    rounded_bias = KINDS.mistake("""A layer in float32 has the bias of the float model as well. That of
        the quantized model was rounded to whole steps.""")
    requantized = KINDS.mistake("""The layers that you do not put back stay as they are: with the
        same codes and scales.""")
    lost = KINDS.mistake("""A layer is in neither of the two forms. It keeps the name of its output,
        and its weight is the stored codes of the quantized model or the initializer of the float
        model.""")
    idle_layers = KINDS.mistake("""The layers are in the model, but other nodes compute its output. A
        layer whose result is multiplied by 0, cut off or thrown away counts as absent: let the
        output come out of the layers.""")
    over_budget = SQNR.mistake("""Count bytes, not layers, and count them in the file: compare
        ByteSize() of your result with that of `small`. A float32 weight adds four bytes for each of
        its numbers, and saves nothing as long as its codes stay in the file.""")
    unchanged = SQNR.mistake("You put no layer back, although there is room for one.")
    ends_alone = SQNR.mistake("""In many networks the first and the last layer are the sensitive
        ones. In this one they are not. Measure it.""")
    by_weight = SQNR.mistake("""Rounding changed this layer's weight most, and the output hardly
        depends on it. Measure at the output.""")
    only_one = SQNR.mistake("""There is room for more layers than this. Try sets of layers, and not
        only single ones.""")
    paid_twice = SQNR.mistake("""A layer that is left out reads the same weight as one that you put
        back, so it costs next to nothing: add the weight once, and let both layers read it.""")
    one_after_the_other = SQNR.mistake("""These layers help, and another set that fits helps more. The
        layer that brings most alone, or most for its bytes, need not be in the best set, because it
        takes the room of others. Compare whole sets of layers.""")
    another_layer = SQNR.mistake("""Another choice that fits gives a better output. Put each layer
        back in turn and measure the SQNR of the output.""")
