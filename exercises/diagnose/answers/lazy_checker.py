"""One fault for all that ONNX's checker refuses."""

from onnx import checker

EXPECTED = {"score": 0.0, "rung": "loads", "message": "A download stopped", "lazy": "library", "shows": "parse-error-unread"}


def diagnose(path):
    try:
        checker.check_model(path)
    except Exception:
        return "missing-value"
    return "healthy"
