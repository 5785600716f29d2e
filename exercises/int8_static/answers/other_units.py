"""Multiplies the calibration images by 16: the digits as they come, before they were normalized."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "other-units"}
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
        return feeds and {name: 16 * value for name, value in feeds.items()}""",
    ),
    (
        "        quantize_static(prepared, target, Reader(calibration), quant_format=QuantFormat.QOperator, per_channel=True)",
        """\
        quantize_static(
            prepared, target, Reader(calibration), activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True
        )""",
    ),
]
