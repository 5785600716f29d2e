"""Calls the first input input, whatever forward calls it."""

EXPECTED = {"loses": ["names"], "rung": "contract: the names", "shows": "exporter-names"}
BASE = "valid_torchscript"
EDITS = [
    ("names = list(inspect.signature(module.forward).parameters)", 'names = ["input", "second"][: len(arguments)]'),
]
