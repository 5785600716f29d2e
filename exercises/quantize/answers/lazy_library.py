"""ONNX Runtime's own function, in one call."""

from onnxruntime.quantization import QuantType
from onnxruntime.quantization.quant_utils import quantize_data

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "infinite-range", "lazy": "library"}


def quantize(x, symmetric):
    kind = QuantType.QInt8 if symmetric else QuantType.QUInt8
    zero, scale, codes = quantize_data(x, kind.tensor_type, symmetric)
    return codes, scale, zero
