"""Calibrates on the first feed alone."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "A range that they give cuts", "shows": "first-feed"}
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
        quantize_static(
            prepared, target, Reader([next(calibration)]), activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True
        )""",
    ),
]
