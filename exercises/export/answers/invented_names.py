"""Gives axes without names, so that the exporter invents one for each value."""

EXPECTED = {"loses": ["rows"], "rung": "quality", "shows": "invented-names"}
BASE = "valid_torchscript"
EDITS = [
    ('dynamic_axes={name: {0: "batch"} for name in [*names, "output"]},', 'dynamic_axes={name: [0] for name in [*names, "output"]},'),
]
