"""Expects a tensor as example, never a tuple."""

EXPECTED = {"loses": ["whole-numbers", "one-row", "encoder", "names"], "rung": "type", "shows": "raises-attribute-error"}
BASE = "valid_torchscript"
EDITS = [
    ("arguments = example if isinstance(example, tuple) else (example,)", "arguments = (example.contiguous(),)"),
]
