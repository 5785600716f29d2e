"""Expects a tensor as example, never a tuple."""

EXPECTED = {"score": 0.6, "rung": "type", "message": "raises", "shows": "raises-attribute-error"}
BASE = "valid_torchscript"
EDITS = [
    ("arguments = example if isinstance(example, tuple) else (example,)", "arguments = (example.contiguous(),)"),
]
