"""Quantizes the convolutions, and leaves the linear layers."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "are float: Gemm", "shows": "convolutions-only"}
BASE = "valid_entropy"
EDITS = [
    ('        options = {"calibrate_method": CalibrationMethod.Entropy}', ""),
    ("**options,", 'op_types_to_quantize=["Conv"],'),
]
