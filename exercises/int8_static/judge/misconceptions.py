"""What students get wrong in `int8_static`, each with a stored answer that shows it. `findings` and
`rungs` recognise them.
"""

from __future__ import annotations

from autograder.findings import misconception


@misconception("lab-7-01/04-int8#calibration")
def used_up():
    """calibration is an iterator: you can go through it only once. An earlier line has used up its
    feeds.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def in_place():
    """Some tools edit the model that you pass to them. Copy it first, or let them read it from a
    file.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def fixed_batch():
    """The batch has a name, not a size: calibrating with 32 images must not fix it."""


@misconception("lab-7-01/04-int8#dynamic-and-static")
def stores_one_run():
    """The outputs of one run are stored in the model as constants. Another input needs another
    output.
    """


@misconception("lab-7-01/04-int8#calibration")
def random():
    """The ranges come from random numbers, or from no data. They are ranges of something else than
    the images.
    """


@misconception("lab-7-01/04-int8#calibration")
def first_feed():
    """The first images are dark, as those of a first folder may be. A range that they give cuts off
    the bright ones.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def dynamic():
    """That is dynamic quantization: each run computes the range of its own activations. Static
    ranges come from calibration.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def half_precision():
    """Half precision halves the file. Eight bits need scales and ranges."""


@misconception("lab-7-01/04-int8#affine-quantization")
def pretends():
    """A QuantizeLinear in front of the weight rounds it again in every run, and the file still
    holds the float. Store the integers.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def weights_only():
    """Quantized weights make the file small. Integer arithmetic needs quantized activations as
    well.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def sixteen_bits():
    """The task asks for eight bits, for weights and for activations."""


@misconception("lab-7-01/04-int8#dynamic-and-static")
def unchanged():
    """The model comes back as it went in, or nearly so."""


@misconception("lab-7-01/04-int8#dynamic-and-static")
def convolutions_only():
    """You gave the quantizer a list of operators without these, or it skips them."""


@misconception("lab-7-01/04-int8#dynamic-and-static")
def computed_weights():
    """A weight that is computed in every run is not a stored integer. Quantize the constant, and
    let only a DequantizeLinear read it.
    """


@misconception("lab-7-01/04-int8#calibration")
def zeros():
    """The input's range is far from that of the images. If a calibration sees nothing but zeros, it
    finds no range and takes a scale of 1. Pass the feeds on as they are.
    """


@misconception("lab-7-01/04-int8#calibration")
def other_units():
    """The range is several times that of the images: calibrated in other units (0 to 16 or 255
    instead of 0 to 1), or on noise.
    """


@misconception("lab-7-01/04-int8#sqnr")
def distribution():
    """The input's range is right. Look at the layers behind it: a calibration method that trims
    far, ranges that were taken before the last feed, scales of weights that leave steps unused, or
    a bias that does not fit its scale.
    """


@misconception("lab-7-01/04-int8#affine-quantization")
def keeps_floats():
    """Float weights are still in the file, although nothing computes with them. Remove the
    initializers that nothing reads.
    """


@misconception("lab-7-01/04-int8#per-channel")
def per_tensor():
    """{count} weights have one scale for all channels, and here channels differ by factors of ten:
    a channel of small weights is rounded to a few steps, or to nothing. Give each channel a scale
    of its own.
    """
