"""Writes the default domain before an operator where the file does."""

EXPECTED = {"loses": ["versions"], "rung": "structure", "shows": "keeps-alias"}
BASE = "valid_plain"
EDITS = [
    (
        '"operators": dict(Counter(n.op_type if n.domain in ("", "ai.onnx") else f"{n.domain}::{n.op_type}" for n in nodes)),',
        '"operators": dict(Counter(n.op_type if n.domain == "" else f"{n.domain}::{n.op_type}" for n in nodes)),',
    ),
]
