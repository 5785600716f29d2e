"""Leaves the opset imports out."""

EXPECTED = {"loses": ["entries"], "rung": "quality: entries", "shows": "no-imports"}
BASE = "valid_static"
EDITS = [
    ('        "opset_imports": {entry.domain: entry.version for entry in model.opset_import},', ""),
]
