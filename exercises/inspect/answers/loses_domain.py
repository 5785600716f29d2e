"""Counts operators without their domain."""

EXPECTED = {"loses": ["versions", "nested", "functions"], "rung": "structure", "shows": "loses-domain"}
BASE = "valid_plain"
EDITS = [
    (
        '"operators": dict(Counter(n.op_type if n.domain in ("", "ai.onnx") else f"{n.domain}::{n.op_type}" for n in nodes)),',
        '"operators": dict(Counter(n.op_type for n in nodes)),',
    ),
]
