"""One scale for each weight."""

EXPECTED = {"loses": ["rescaled"], "rung": "numerics", "shows": "per-tensor"}
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
