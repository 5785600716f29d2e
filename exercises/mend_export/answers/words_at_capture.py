"""Hands the words to torch.export, which takes none."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "raises"}
BASE = "valid_walk"
EDITS = [
    (
        "shapes = {name: walk(declared, value, name) for name, value in call.items()}",
        "shapes = {name: walk(named, value, name) for name, value in call.items()}",
    ),
]
