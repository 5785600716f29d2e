"""Sorts the names, so that two inputs change places."""

EXPECTED = {"score": 0.6875, "rung": "contract", "message": "another order", "shows": "sorted-names"}
BASE = "valid_torchscript"
EDITS = [
    ("names = list(inspect.signature(module.forward).parameters)", "names = sorted(inspect.signature(module.forward).parameters)"),
]
