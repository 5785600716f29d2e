"""Declares nothing: every size is the example's."""

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "static"}
BASE = "valid_torchscript"
EDITS = [
    ('                dynamic_axes={name: {0: "batch"} for name in [*names, "output"]},', ""),
]
