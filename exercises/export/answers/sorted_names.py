"""Sorts the names, so that two inputs change places."""

EXPECTED = {"loses": ["names"], "rung": "contract: the names", "shows": "sorted-names"}
BASE = "valid_torchscript"
EDITS = [
    ("names = list(inspect.signature(module.forward).parameters)", "names = sorted(inspect.signature(module.forward).parameters)"),
]
