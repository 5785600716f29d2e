"""Runs at the default level only."""

EXPECTED = {"loses": ["random", "numbers"], "rung": "numerics", "shows": "runs-left-out"}
BASE = "valid_plain"
EDITS = [
    ("from onnx.reference import ReferenceEvaluator", ""),
    (
        "for evaluator in (*(open_session(path, level) for level in LEVELS), ReferenceEvaluator(str(path))):",
        "for evaluator in (open_session(path, LEVELS[1]),):",
    ),
]
