"""Writes down the opset that it had in mind."""

EXPECTED = {"loses": ["entries"], "rung": "quality: entries", "shows": "newest-opset"}
BASE = "valid_static"
EDITS = [
    ('"opset_imports": {entry.domain: entry.version for entry in model.opset_import},', '"opset_imports": {"": 17},'),
]
