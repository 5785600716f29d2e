"""The whole range for both: nothing is cut."""

EXPECTED = {"score": 0.0, "rung": "structure", "message": "every magnitude is kept", "lazy": "constant", "shows": "whole-range"}


def percentile_cut(counts, width, keep):
    return len(counts) * width


def entropy_cut(counts, width, levels):
    return len(counts) * width
