"""Counts the feeds before it calibrates."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "used-up"}
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
        print(sum(1 for _ in calibration), "feeds")
        quantize_static(
            prepared, target, Reader(calibration), activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True
        )""",
    ),
]
