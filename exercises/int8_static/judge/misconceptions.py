"""What students get wrong in `int8_static`, each with a stored answer that shows it. The rungs
recognise them.
"""

from __future__ import annotations

from nbjudge.findings import Section

CALIBRATION = Section("lab-7-01/04-int8#calibration")
DYNAMIC_AND_STATIC = Section("lab-7-01/04-int8#dynamic-and-static")
AFFINE_QUANTIZATION = Section("lab-7-01/04a-int8-arithmetic#affine-quantization")
SQNR = Section("lab-7-01/04-int8#sqnr")
PER_CHANNEL = Section("lab-7-01/04-int8#per-channel")


class Mistakes:
    """Those that a rung recognises by itself."""

    used_up = CALIBRATION.mistake("""calibration is an iterator: you can go through it only once. An
        earlier line has used up its feeds.""")
    in_place = DYNAMIC_AND_STATIC.mistake("""Some tools edit the model that you pass to them. Copy
        it first, or let them read it from a file.""")
    emptied = DYNAMIC_AND_STATIC.mistake("""`quant_pre_process` and `quantize_static` move the weights of
        a ModelProto that you pass to them into a folder that is deleted, also those of a copy. Save
        the model with onnx.save, and pass the path of that file.""")
    fixed_batch = DYNAMIC_AND_STATIC.mistake("""The batch has a name, not a size: calibrating with
        32 images must not fix it.""")
    stores_one_run = DYNAMIC_AND_STATIC.mistake("""The outputs of one run are stored in the model as
        constants. Another input needs another output.""")
    random = CALIBRATION.mistake("""The ranges come from random numbers, or from no data. They are
        ranges of something else than the images.""")
    first_feed = CALIBRATION.mistake("""The first images are dark, as those of a first folder may
        be. A range that they give cuts off the bright ones.""")
    last_feed = CALIBRATION.mistake("""That is the range of the last feed. Keep the smallest and the
        largest number of all feeds: compare each feed with what the others gave.""")
    dynamic = DYNAMIC_AND_STATIC.mistake("""That is dynamic quantization: each run computes the
        range of its own activations. Static ranges come from calibration.""")
    half_precision = DYNAMIC_AND_STATIC.mistake("""Half precision halves the file. Eight bits need
        scales and ranges.""")
    pretends = AFFINE_QUANTIZATION.mistake("""A QuantizeLinear in front of the weight rounds it
        again in every run, and the file still holds the float. Store the integers.""")
    constant_weights = DYNAMIC_AND_STATIC.mistake("""The quantizer stores the codes of initializers. It
        leaves a weight that a Constant node holds in float, and quantizes it when the model runs,
        without a message. quant_pre_process makes initializers of such weights.""")
    weights_only = DYNAMIC_AND_STATIC.mistake("""Quantized weights make the file small. Integer
        arithmetic needs quantized activations as well.""")
    sixteen_bits = DYNAMIC_AND_STATIC.mistake("""The task asks for eight bits, for weights and for
        activations.""")
    float_weights = AFFINE_QUANTIZATION.mistake("""A weight that is rounded and stored as float, or
        made of integers by Cast and Mul, is a float weight. Store the codes, and let a
        DequantizeLinear or an integer operator read them.""")
    other_axis = PER_CHANNEL.mistake("""The scales of a DequantizeLinear are as many as its axis is
        long, or one. Its axis is 1 unless the attribute says another: for the output channels of a
        Conv it is 0.""")
    unchanged = DYNAMIC_AND_STATIC.mistake("The model comes back as it went in, or nearly so.")
    convolutions_only = DYNAMIC_AND_STATIC.mistake("""You gave the quantizer a list of operators
        without these, or it skips them.""")
    float_beside = DYNAMIC_AND_STATIC.mistake("""As many layers as the argument has are quantized, and
        float ones stand beside them. A layer that is fused with what follows is a layer like any
        other.""")
    computed_weights = DYNAMIC_AND_STATIC.mistake("""A weight that is computed in every run is not a
        stored integer. Quantize the constant, and let only a DequantizeLinear read it.""")
    idle_layers = DYNAMIC_AND_STATIC.mistake("""The quantized layers are in the model, but other
        nodes compute its outputs. A layer whose result is multiplied by 0, cut off or thrown away counts
        as absent: let each output come out of the quantized layers.""")
    zeros = CALIBRATION.mistake("""The input's range is far from that of the images. If a
        calibration sees nothing but zeros, it finds no range and takes a scale of 1. Pass the feeds
        on as they are.""")
    other_units = CALIBRATION.mistake("""The range is another one than that of the images: calibrated
        in other units (0 to 16 or 255 instead of 0 to 1), on images that were normalized first, or
        on noise.""")
    zero_point = AFFINE_QUANTIZATION.mistake("""The range is as wide as that of the images, and lies
        elsewhere: the zero point is wrong. In uint8 it is round(-low / scale), in int8 128 less,
        and without one it is 0.""")
    distribution = SQNR.mistake("""The input's range is right. Look at the layers behind it: a
        calibration method that trims far, ranges that were taken before the last feed or from
        other images of that range, scales of weights that leave steps unused, codes of weights
        beside their zero point, or a bias that does not fit its scale.""")
    keeps_floats = AFFINE_QUANTIZATION.mistake("""Float weights are still in the file, although
        nothing computes with them. Remove the initializers that nothing reads.""")
    per_tensor = PER_CHANNEL.mistake("""{count} weights have one scale for all channels, and here
        channels differ by factors of ten: a channel of small weights is rounded to a few steps, or
        to nothing. Give each channel a scale of its own.""")
