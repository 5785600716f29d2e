"""Copies the source under one of the names, and counts nothing."""

import shutil

EXPECTED = {"loses": "everything", "rung": "contract: keys", "shows": "nothing-saved", "lazy": "argument"}


def optimize_levels(path, directory):
    shutil.copy(path, directory / "disable.onnx")
    return {}
