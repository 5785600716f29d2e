"""Calibrates on the first feed alone."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "first-feed"}
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
