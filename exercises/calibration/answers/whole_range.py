"""The whole range for both: nothing is cut."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "whole-range", "lazy": "constant"}


def percentile_cut(counts, width, keep):
    return len(counts) * width


def entropy_cut(counts, width, levels):
    return len(counts) * width
