"""Exports whole numbers as int32, which are fewer bytes."""

EXPECTED = {"score": 0.375, "rung": "contract", "message": "converted before it was exported", "shows": "narrow-integers"}
BASE = "valid_torchscript"
EDITS = [
    ("arguments,", "tuple(tensor if tensor.is_floating_point() else tensor.int() for tensor in arguments),"),
]
