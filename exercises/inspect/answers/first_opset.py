"""Takes the first entry of opset_import for the model's opset."""

EXPECTED = {"loses": ["versions"], "rung": "structure", "shows": "first-opset"}
BASE = "valid_plain"
EDITS = [
    (
        '"opset": next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")),',
        '"opset": model.opset_import[0].version,',
    ),
]
