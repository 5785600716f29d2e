"""What students get wrong in `saturation`, each with a stored answer that shows it. `rungs`
recognises them.
"""

from __future__ import annotations

from autograder.findings import cause, misconception

NATIVE = "lab-7-01/04-int8#what-your-processor-really-computes"
LAYER = "lab-7-01/04-int8#an-integer-layer"


@misconception(NATIVE)
def in_place():
    """The model that was passed in is changed. Copy it first: new = ModelProto();
    new.CopyFrom(model).
    """


@misconception(NATIVE)
def unchanged():
    """255 times 127, twice, is 64770, and 16 bits end at 32767. With weights of seven bits, or
    unsigned ones, nothing saturates.
    """


@misconception(NATIVE)
def some_layers():
    """Every Conv, Gemm and MatMul is a sum of products. Look at all of them, not only at the first
    one or at the Convs.
    """


@misconception(NATIVE)
def not_enough():
    """Take the worst case: any two codes of one output, each times 255."""


@misconception(NATIVE)
def all_layers():
    """A layer in which no pair can leave 16 bits keeps all of its bits. Look at its codes before
    you change it.
    """


@misconception(NATIVE)
def one_weight():
    """One large code is no trouble beside small ones: it is the sum of two that counts. You could
    have left this layer as it was.
    """


@misconception(NATIVE)
def unsigned_too():
    """uint8 times uint8 is widened before it is added, and its sums are exact. Only int8 weights
    need mending.
    """


@misconception(NATIVE)
def in_floats():
    """A layer in float does not saturate, but it is not quantized. Keep 8-bit weights."""


@misconception(LAYER)
def bias_left():
    """You changed the scale of a weight and not that of its bias. A QLinearConv has no scale for a
    bias: it takes the product of the other two, so a session computes something else than the file
    says.
    """


@misconception(LAYER)
def scale_left():
    """The codes are half as large, and so is what they stand for. Double their scale."""


@misconception(LAYER)
def bias_halved():
    """You changed the scale of the bias and not its codes, so it stands for another number. Divide
    the codes by the same factor.
    """


@misconception(NATIVE)
def clips():
    """Cutting codes off changes the largest weights, which matter most. Divide all codes of a
    layer, and multiply its scale.
    """


@misconception(NATIVE)
def floors():
    """Shifting or dividing with // rounds down, and with 0.5 added first it takes every tie up.
    Half of the codes are odd, so all errors have one sign and the sum collects them. Round to
    nearest, ties to even, as np.rint does.
    """


@misconception(NATIVE)
def cuts_towards_zero():
    """astype and int() drop the fraction, so every odd code gets smaller and the layer's outputs
    with it. np.rint first: it takes ties to the even number.
    """


@misconception(NATIVE)
def too_few_bits():
    """Half as many codes are enough. Each further bit costs 6 dB."""


@cause(NATIVE)
def zero_point_left():
    """uint8 codes are 128 higher than int8 codes for the same numbers. Their zero point moves with
    them.
    """
