"""Writes down the opset that it had in mind."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "The exporter does not always write", "shows": "newest-opset"}
BASE = "valid_static"
EDITS = [
    ('"opset_imports": {entry.domain: entry.version for entry in model.opset_import},', '"opset_imports": {"": 17},'),
]
