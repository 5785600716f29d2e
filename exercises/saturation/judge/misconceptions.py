"""What students get wrong in `saturation`, each with a stored answer that shows it. `rungs`
recognises them.
"""

from __future__ import annotations

from nbjudge.findings import Section

NATIVE = Section("lab-7-01/04a-int8-arithmetic#what-your-processor-really-computes")
LAYER = Section("lab-7-01/04a-int8-arithmetic#an-integer-layer")


class Mistakes:
    """Those that a rung recognises by itself."""

    in_place = NATIVE.mistake("""The model that was passed in is changed. Copy it first: new =
        ModelProto(); new.CopyFrom(model).""")
    unchanged = NATIVE.mistake("""255 times 127, twice, is 64770, and 16 bits end at 32767. With
        weights of seven bits, or unsigned ones, nothing saturates.""")
    some_layers = NATIVE.mistake("""Every Conv, Gemm and MatMul is a sum of products. Look at all of
        them, not only at the first one or at the Convs.""")
    one_end = NATIVE.mistake("""A layer leaves 16 bits at either end: two large codes above
        128, or two small ones below -128. Look at both.""")
    neighbours = NATIVE.mistake("""A kernel packs codes in an order of its own, so it may add the
        products of any two of a row, and not only of neighbours.""")
    not_enough = NATIVE.mistake("Take the worst case: any two codes of one output, each times 255.")
    all_layers = NATIVE.mistake("""A layer in which no pair can leave 16 bits keeps all of its bits.
        Look at its codes before you change it.""")
    one_weight = NATIVE.mistake("""One large code is no trouble beside small ones: it is the sum of
        two that counts. You could have left this layer as it was.""")
    other_outputs = NATIVE.mistake("""Two codes of different outputs never meet in one sum. Take the
        two largest and the two smallest of each row, not of the layer.""")
    other_axis = NATIVE.mistake("""These codes belong to one input, and each to another output. Conv
        and a Gemm with transB keep outputs in rows, MatMul and any other Gemm in columns.""")
    signs_dropped = NATIVE.mistake("""127 and -127 add up to 0. Compare the two largest codes and
        the two smallest, with their signs, and not the two largest magnitudes.""")
    just_fitting = NATIVE.mistake("""255 times 128 is 32640, and 255 times -128 is -32640: both fit.
        A sum has to be above 128, or below -128.""")
    just_leaving = NATIVE.mistake("""255 times 129 is 32895, and 16 bits end at 32767. The largest
        sum that fits is 128, and the smallest is -128.""")
    first_output = NATIVE.mistake("""Each output has a row of its own. A layer leaves 16 bits if one
        of its rows does, and not only if the first does.""")
    unsigned_too = NATIVE.mistake("""uint8 times uint8 is widened before it is added, and its sums
        are exact. Only int8 weights need mending.""")
    shared = NATIVE.mistake("""Another layer reads the same tensor, and what you changed for one of
        them changed for both, or was skipped for the second because the first had changed it. Give
        each layer that you mend tensors of its own.""")
    taken_name = NATIVE.mistake("""Two tensors or values have one name. A name that you make may be
        taken already, also by a tensor that nothing reads: make another one while it is.""")
    in_floats = NATIVE.mistake("""A layer in float does not saturate, but it is not quantized. Keep
        8-bit weights.""")
    idle_layers = NATIVE.mistake("""The mended layers are in the model, but other nodes compute its
        output. A layer whose result is multiplied by 0, cut off or thrown away counts as absent: let the
        output come out of the mended layers.""")
    bias_left = LAYER.mistake("""You changed the scale of a weight and not that of its bias. A
        QLinearConv has no scale for a bias: it takes the product of the other two, so a session
        computes something else than the file says.""")
    scale_left = LAYER.mistake("""The codes are half as large, and so is what they stand for. Double
        their scale.""")
    bias_halved = LAYER.mistake("""You changed the scale of the bias and not its codes, so it stands
        for another number. Divide the codes by the same factor.""")
    clips = NATIVE.mistake("""Cutting codes off changes the largest weights, which matter most.
        Divide all codes of a layer, and multiply its scale.""")
    floors = NATIVE.mistake("""Shifting or dividing with // rounds down, and with 0.5 added first it
        takes every tie up. Half of the codes are odd, so all errors have one sign and the sum
        collects them. Round to nearest, ties to even, as np.rint does.""")
    cuts_towards_zero = NATIVE.mistake("""astype and int() drop the fraction, so every odd code gets
        smaller and the layer's outputs with it. np.rint first: it takes ties to the even number.
    """)
    too_few_bits = NATIVE.mistake("Half as many codes are enough. Each further bit costs 6 dB.")
    zero_point_left = NATIVE.cause("""uint8 codes are 128 higher than int8 codes for the same
        numbers. Their zero point moves with them.""")
