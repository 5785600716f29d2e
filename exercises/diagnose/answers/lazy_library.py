"""Asks the checker, and has one word for whatever it refuses."""

import onnx

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "not-unreadable", "lazy": "library"}


def diagnose(path):
    try:
        onnx.checker.check_model(path)
    except Exception:
        return "unreadable"
    return "healthy"
