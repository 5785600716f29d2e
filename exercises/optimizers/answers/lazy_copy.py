"""Copies the source under one of the names, and counts nothing."""

import shutil

EXPECTED = {
    "score": 0.0,
    "rung": "loads",
    "message": "No session saved anything",
    "lazy": "argument",
    "shows": "nothing-saved",
}


def optimize_levels(path, directory):
    shutil.copy(path, directory / "disable.onnx")
    return {}
