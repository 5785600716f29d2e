"""Exports whole numbers as int32, which are fewer bytes."""

EXPECTED = {"loses": ["whole-numbers"], "rung": "contract", "shows": "narrow-integers"}
BASE = "valid_torchscript"
EDITS = [
    ("arguments,", "tuple(tensor if tensor.is_floating_point() else tensor.int() for tensor in arguments),"),
]
