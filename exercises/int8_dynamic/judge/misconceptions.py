"""What students get wrong in `int8_dynamic`, each with a stored answer that shows it. `findings`
and `rungs` recognise them.
"""

from __future__ import annotations

from autograder.findings import misconception


@misconception("lab-7-01/04-int8#dynamic-and-static")
def as_exported():
    """The exporter describes every initializer in value_info. The quantizer transposes a Gemm's
    weight and leaves the description as it was. Remove the entries of initializers first, or run
    quant_pre_process.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def preprocess_gives_up():
    """quant_pre_process gives up if it cannot prove that two dimensions are equal. With
    auto_merge=True it assumes that they are.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def fused_first():
    """The model was fused before it was quantized, and the quantizer does not know the fused
    operators' weights. Quantize first.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def returns_none():
    """quantize_dynamic writes a file and returns nothing. Load the file that it wrote, and return
    the model.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def returns_path():
    """A path is returned, and the check cannot read that file: load it, and return the model."""


@misconception("lab-7-01/04-int8#dynamic-and-static")
def mutates_argument():
    """You deleted entries or replaced weights in the argument. Copy it first: new =
    onnx.ModelProto(); new.CopyFrom(model).
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def stores_one_run():
    """The outputs of one run are stored in the model. Another sentence needs another embedding."""


@misconception("lab-7-01/04-int8#dynamic-and-static")
def exports_again():
    """Another model was exported, or an input was added. A caller of the model feeds its inputs and
    asks for its outputs by name.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def fixed_batch():
    """A size that the argument leaves open is fixed: batch and sequence stay dynamic."""


@misconception("lab-7-01/04-int8#dynamic-and-static")
def static_qdq():
    """This is static quantization: calibration data fixed the ranges. In a transformer one fixed
    range is a poor fit, above all for the attention mask's huge negative number.
    DynamicQuantizeLinear takes the range from the activation itself.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def weight_only():
    """Only the weights are stored in few bits: DequantizeLinear or MatMulNBits makes floats of them
    before the product. That saves bytes. Here the products have to be integer: MatMulInteger.
    """


@misconception("lab-7-01/04-int8#affine-quantization")
def half():
    """That is a conversion to half precision: 16 bits, floating point. To quantize to INT8 you need
    another tool: quantize_dynamic.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def first_product_only():
    """Some products were skipped: those of another operator (Gemm), of another form, or whose
    weight is used more than once.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def gather_only():
    """Only the tables that Gather reads are stored in 8 bits. Name MatMul among the operators to
    quantize as well.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def unchanged():
    """The model comes back as it went in, or after an optimization that quantizes nothing."""


@misconception("lab-7-01/04-int8#affine-quantization")
def signed_as_unsigned():
    """This is another function, not a coarser one: the scales and zero points do not belong to the
    integers, or other weights than the argument's were quantized.
    """


@misconception("lab-7-01/04-int8#per-channel")
def per_tensor():
    """One scale for a whole weight is as coarse as its largest column needs. Give each output
    channel a scale of its own: per_channel=True.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def matmul_only():
    """The embedding tables are still float32. Gather reads them, and nothing multiplies them:
    quantize that operator too.
    """


@misconception("lab-7-01/04-int8#dynamic-and-static")
def float_kept():
    """You kept the float weights beside their integers. No node reads them any more: remove them."""
