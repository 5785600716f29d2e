"""Declares nothing: every size is the example's."""

EXPECTED = {"score": 0.4, "rung": "contract", "message": "a number everywhere", "shows": "static"}
BASE = "valid_torchscript"
EDITS = [
    ('                dynamic_axes={name: {0: "batch"} for name in [*names, "output"]},', ""),
]
