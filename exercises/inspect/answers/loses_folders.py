"""Looks for every file in the directory itself."""

EXPECTED = {"loses": ["external", "argument"], "rung": "numerics", "shows": "loses-folders"}
BASE = "valid_plain"
EDITS = [
    (
        '(Path(directory) / name).stat()',
        '(Path(directory) / Path(name).name).stat()',
    ),
]
