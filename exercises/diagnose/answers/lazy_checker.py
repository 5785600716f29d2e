"""One fault for all that ONNX's checker refuses."""

from onnx import checker

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "parse-error-unread", "lazy": "library"}


def diagnose(path):
    try:
        checker.check_model(path)
    except Exception:
        return "missing-value"
    return "healthy"
