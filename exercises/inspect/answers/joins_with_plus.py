"""Joins the directory and a file's name as strings."""

EXPECTED = {"loses": ["external", "argument"], "rung": "type", "shows": "raises-type-error"}
BASE = "valid_plain"
EDITS = [
    (
        '"bytes": model.ByteSize() + sum((Path(directory) / name).stat().st_size for name in files),',
        '"bytes": model.ByteSize() + sum(Path(directory + "/" + name).stat().st_size for name in files),',
    ),
]
