"""Builds the feeds anew, under the name that the first model's input has."""

EXPECTED = {
    "loses": ["branches", "depthwise", "constant-nodes", "rescaled", "two-inputs", "size", "argument"],
    "rung": "type",
    "shows": "raises-key-error",
}
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
        return feeds and {"image": feeds["image"]}""",
    ),
    (
        "        quantize_static(prepared, target, Reader(calibration), quant_format=QuantFormat.QOperator, per_channel=True)",
        """\
        quantize_static(
            prepared, target, Reader(calibration), activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True
        )""",
    ),
]
