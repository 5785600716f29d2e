"""Reads the numbers with their highest byte first."""

EXPECTED = {"loses": ["tensors", "bfloat16", "dtypes", "large-files", "frugal"], "rung": "numerics", "shows": "big-endian-numbers"}
BASE = "valid_plain"
EDITS = [
    ('KINDS = {"U": "<u", "I": "<i", "F": "<f", "C": "<c"}', 'KINDS = {"U": ">u", "I": ">i", "F": ">f", "C": ">c"}'),
]
