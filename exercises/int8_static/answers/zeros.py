"""Calibrates on zeros of the right shapes."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "zeros"}
BASE = "valid_qoperator"
EDITS = [
    (
        "import tempfile",
        """\
from onnxruntime.quantization import QuantType
import tempfile""",
    ),
    (
        "        return next(self.feeds, None)",
        """\
        feeds = next(self.feeds, None)
        return feeds and {name: 0 * value for name, value in feeds.items()}""",
    ),
    (
        "        quantize_static(prepared, target, Reader(calibration), quant_format=QuantFormat.QOperator, per_channel=True)",
        """\
        quantize_static(
            prepared, target, Reader(calibration), activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True
        )""",
    ),
]
