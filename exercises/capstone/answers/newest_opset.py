"""Writes down the opset that it had in mind."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "What was asked of the exporter", "shows": "newest-opset"}
BASE = "valid_static"
EDITS = [
    ('"opset_imports": {entry.domain: entry.version for entry in model.opset_import},', '"opset_imports": {"": 17},'),
]
