"""Activations of 16 bits."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "sixteen-bits"}
BASE = "valid_qoperator"
EDITS = [
    (
        "import tempfile",
        """\
from onnxruntime.quantization import QuantType
import tempfile""",
    ),
    (
        "        quantize_static(prepared, target, Reader(calibration), quant_format=QuantFormat.QOperator, per_channel=True)",
        """\
        types = {"activation_type": QuantType.QUInt16, "weight_type": QuantType.QInt8}
        quantize_static(prepared, target, Reader(calibration), per_channel=True, **types)""",
    ),
]
