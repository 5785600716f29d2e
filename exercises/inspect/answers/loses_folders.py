"""Looks for every file in the directory itself."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "without their folders", "shows": "loses-folders"}
BASE = "valid_plain"
EDITS = [
    (
        '(Path(directory) / name).stat()',
        '(Path(directory) / Path(name).name).stat()',
    ),
]
