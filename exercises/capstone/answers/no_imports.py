"""Leaves the opset imports out."""

EXPECTED = {"score": 0, "rung": "type", "message": "opset_imports", "shows": "no-imports"}
BASE = "valid_static"
EDITS = [
    ('        "opset_imports": {entry.domain: entry.version for entry in model.opset_import},', ""),
]
