"""One scale for each weight."""

EXPECTED = {"score": 0.5, "rung": "numerics", "message": "Give each channel a scale of its own", "shows": "per-tensor"}
BASE = "valid_qoperator"
EDITS = [
    (
        "import tempfile",
        """\
from onnxruntime.quantization import QuantType
import tempfile""",
    ),
    (
        "quantize_static(prepared, target, Reader(calibration), quant_format=QuantFormat.QOperator, per_channel=True)",
        "quantize_static(prepared, target, Reader(calibration), activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)",
    ),
]
