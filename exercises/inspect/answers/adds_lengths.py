"""Adds the lengths of the external tensors, not the sizes of their files."""

EXPECTED = {"loses": ["external", "argument"], "rung": "numerics", "shows": "adds-lengths"}
BASE = "valid_plain"
EDITS = [
    ("from pathlib import Path", ""),
    (
        'files = {entry.value for tensor in external for entry in tensor.external_data if entry.key == "location"}',
        'lengths = [int(entry.value) for tensor in external for entry in tensor.external_data if entry.key == "length"]',
    ),
    (
        '"bytes": model.ByteSize() + sum((Path(directory) / name).stat().st_size for name in files),',
        '"bytes": model.ByteSize() + sum(lengths),',
    ),
]
