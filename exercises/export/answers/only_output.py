"""Declares the output alone."""

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "only-output"}
BASE = "valid_torchscript"
EDITS = [
    ('dynamic_axes={name: {0: "batch"} for name in [*names, "output"]},', 'dynamic_axes={"output": {0: "batch"}},'),
]
