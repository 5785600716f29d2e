"""Declares the sizes by the names of the inputs."""

EXPECTED = {"loses": ["nested", "order"], "rung": "type", "shows": "other-structure"}
BASE = "valid_walk"
EDITS = [
    (
        "shapes = {name: walk(declared, value, name) for name, value in call.items()}",
        "shapes = {name: declared(None, each) for name, each in wanted.items()}",
    ),
]
