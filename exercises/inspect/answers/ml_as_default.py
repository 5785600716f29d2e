"""Takes every domain that begins with ai.onnx for the default one, when it counts operators."""

EXPECTED = {"loses": ["versions"], "rung": "structure", "shows": "ml-as-default"}
BASE = "valid_plain"
EDITS = [
    (
        'n.op_type if n.domain in ("", "ai.onnx") else',
        'n.op_type if not n.domain or n.domain.startswith("ai.onnx") else',
    ),
]
