"""Knows the default domain only by its empty name, and stops where it is written out."""

EXPECTED = {"loses": ["versions"], "rung": "type", "shows": "raises-stop-iteration"}
BASE = "valid_plain"
EDITS = [
    (
        '"opset": next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")),',
        '"opset": next(entry.version for entry in model.opset_import if entry.domain == ""),',
    ),
]
