"""Takes the highest version in opset_import."""

EXPECTED = {"loses": ["versions"], "rung": "structure", "shows": "highest-opset"}
BASE = "valid_plain"
EDITS = [
    (
        '"opset": next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")),',
        '"opset": max(entry.version for entry in model.opset_import),',
    ),
]
