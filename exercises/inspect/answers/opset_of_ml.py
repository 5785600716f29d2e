"""Takes every domain that begins with ai.onnx for the default one, when it looks for the opset."""

EXPECTED = {"loses": ["versions"], "rung": "structure", "shows": "opset-of-ml"}
BASE = "valid_plain"
EDITS = [
    (
        'for entry in model.opset_import if entry.domain in ("", "ai.onnx"))',
        'for entry in model.opset_import if not entry.domain or entry.domain.startswith("ai.onnx"))',
    ),
]
