"""Calls the first input input, whatever forward calls it."""

EXPECTED = {"score": 0.5, "rung": "contract", "message": "the names of forward's arguments", "shows": "exporter-names"}
BASE = "valid_torchscript"
EDITS = [
    ("names = list(inspect.signature(module.forward).parameters)", 'names = ["input", "second"][: len(arguments)]'),
]
