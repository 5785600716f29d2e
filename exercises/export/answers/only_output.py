"""Declares the output alone."""

EXPECTED = {"score": 0.4, "rung": "contract", "message": "Only the output was declared", "shows": "only-output"}
BASE = "valid_torchscript"
EDITS = [
    ('dynamic_axes={name: {0: "batch"} for name in [*names, "output"]},', 'dynamic_axes={"output": {0: "batch"}},'),
]
