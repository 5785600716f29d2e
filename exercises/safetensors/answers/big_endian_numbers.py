"""Reads the numbers with their highest byte first."""

EXPECTED = {"score": 0.633, "rung": "numerics", "message": "the opposite order", "shows": "big-endian-numbers"}
BASE = "valid_plain"
EDITS = [
    ('KINDS = {"U": "<u", "I": "<i", "F": "<f", "C": "<c"}', 'KINDS = {"U": ">u", "I": ">i", "F": ">f", "C": ">c"}'),
]
