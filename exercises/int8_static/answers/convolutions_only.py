"""Quantizes the convolutions, and leaves the linear layers."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "convolutions-only"}
BASE = "valid_entropy"
EDITS = [
    ('        options = {"calibrate_method": CalibrationMethod.Entropy}', ""),
    ("**options,", 'op_types_to_quantize=["Conv"],'),
]
