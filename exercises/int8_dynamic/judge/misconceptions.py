"""What students get wrong in `int8_dynamic`, each with a stored answer that shows it. The rungs
recognise them.
"""

from __future__ import annotations

from nbjudge.findings import Section

DYNAMIC_AND_STATIC = Section("lab-7-01/04-int8#dynamic-and-static")
AFFINE_QUANTIZATION = Section("lab-7-01/04a-int8-arithmetic#affine-quantization")
PER_CHANNEL = Section("lab-7-01/04-int8#per-channel")


class Mistakes:
    """Those that a rung recognises by itself."""

    as_exported = DYNAMIC_AND_STATIC.mistake("""The exporter describes every initializer in
        value_info. The quantizer transposes a Gemm's weight and leaves the description as it was.
        Remove the entries of initializers first, or run quant_pre_process.""")
    preprocess_gives_up = DYNAMIC_AND_STATIC.mistake("""quant_pre_process gives up if it cannot
        prove that two dimensions are equal. With auto_merge=True it assumes that they are.""")
    fused_first = DYNAMIC_AND_STATIC.mistake("""The model was fused before it was quantized, and the
        quantizer does not know the fused operators' weights. Quantize first.""")
    returns_none = DYNAMIC_AND_STATIC.mistake("""quantize_dynamic writes a file and returns nothing.
        Load the file that it wrote, and return the model.""")
    returns_path = DYNAMIC_AND_STATIC.mistake("""A path is returned, and the check cannot read that
        file: load it, and return the model.""")
    mutates_argument = DYNAMIC_AND_STATIC.mistake("""You deleted entries or replaced weights in the
        argument. Copy it first: new = onnx.ModelProto(); new.CopyFrom(model).""")
    stores_one_run = DYNAMIC_AND_STATIC.mistake("""The outputs of one run are stored in the model.
        Another sentence needs another embedding.""")
    exports_again = DYNAMIC_AND_STATIC.mistake("""Another model was exported, or an input was added.
        A caller of the model feeds its inputs and asks for its outputs by name.""")
    fixed_batch = DYNAMIC_AND_STATIC.mistake("""A size that the argument leaves open is fixed: batch
        and sequence stay dynamic.""")
    static_qdq = DYNAMIC_AND_STATIC.mistake("""This is static quantization: calibration data fixed
        the ranges. In a transformer one fixed range is a poor fit, above all for the attention
        mask's huge negative number. DynamicQuantizeLinear takes the range from the activation
        itself.""")
    constant_range = DYNAMIC_AND_STATIC.mistake("""A range is written into the model, so a number
        beyond it is cut off, whatever sentence comes. DynamicQuantizeLinear takes the range from the
        activation itself.""")
    weight_only = DYNAMIC_AND_STATIC.mistake("""Only the weights are stored in few bits:
        DequantizeLinear or MatMulNBits makes floats of them before the product. That saves bytes.
        Here the products have to be integer: MatMulInteger.""")
    idle_products = DYNAMIC_AND_STATIC.mistake("""The products of integers are in the model, but
        other nodes compute its outputs. A product that is multiplied by 0, cut off or thrown away counts
        as absent: let each output come out of the products of integers.""")
    half = AFFINE_QUANTIZATION.mistake("""That is a conversion to half precision: 16 bits, floating
        point. To quantize to INT8 you need another tool: quantize_dynamic.""")
    first_product_only = DYNAMIC_AND_STATIC.mistake("""Some products were skipped: those of another
        operator (Gemm), of another form, or whose weight is used more than once.""")
    gather_only = DYNAMIC_AND_STATIC.mistake("""Only the tables that Gather reads are stored in 8
        bits. Name MatMul among the operators to quantize as well.""")
    unchanged = DYNAMIC_AND_STATIC.mistake("""The model comes back as it went in, or after an
        optimization that quantizes nothing.""")
    signed_as_unsigned = AFFINE_QUANTIZATION.mistake("""This is another function, not a coarser one:
        the scales and zero points do not belong to the integers, or other weights than the
        argument's were quantized.""")
    per_tensor = PER_CHANNEL.mistake("""One scale for a whole weight is as coarse as its largest
        column needs. Give each output channel a scale of its own: per_channel=True.""")
    other_product = AFFINE_QUANTIZATION.mistake("""Every weight has a scale for each of its channels, so
        look at one product: the integers, less their zero point, times their scales give the
        argument's weight, and a Gemm also adds its bias.""")
    matmul_only = DYNAMIC_AND_STATIC.mistake("""The embedding tables are still float32. Gather reads
        them, and nothing multiplies them: quantize that operator too.""")
    float_kept = DYNAMIC_AND_STATIC.mistake("""You kept the float weights beside their integers. No
        node reads them any more: remove them.""")
