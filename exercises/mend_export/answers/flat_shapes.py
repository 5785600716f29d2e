"""Declares the sizes by the names of the inputs."""

EXPECTED = {"score": 0.6, "rung": "type", "message": "has the structure of the call", "shows": "other-structure"}
BASE = "valid_walk"
EDITS = [
    (
        "shapes = {name: walk(declared, value, name) for name, value in call.items()}",
        "shapes = {name: declared(None, each) for name, each in wanted.items()}",
    ),
]
