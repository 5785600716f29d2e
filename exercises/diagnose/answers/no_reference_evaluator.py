"""Certifies float16 by a session on the CPU."""

EXPECTED = {"loses": ["numbers"], "rung": "numerics", "shows": "runs-left-out"}
BASE = "valid_plain"
EDITS = [
    ("from onnx.reference import ReferenceEvaluator", ""),
    (
        "for evaluator in (*(open_session(path, level) for level in LEVELS), ReferenceEvaluator(str(path))):",
        "for evaluator in [open_session(path, level) for level in LEVELS]:",
    ),
]
