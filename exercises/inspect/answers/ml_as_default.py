"""Takes every domain that begins with ai.onnx for the default one, when it counts operators."""

EXPECTED = {"score": 0.7, "rung": "structure", "message": "the operators of ai.onnx.ml without their domain", "shows": "ml-as-default"}
BASE = "valid_plain"
EDITS = [
    (
        'n.op_type if n.domain in ("", "ai.onnx") else',
        'n.op_type if not n.domain or n.domain.startswith("ai.onnx") else',
    ),
]
