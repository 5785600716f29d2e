"""Writes a mask where a node or an output of the same graph uses it."""

EXPECTED = {"loses": ["masks"], "rung": "loads", "shows": "mask-read-inside"}
BASE = "valid_rename"
EDITS = [
    ("    if mask:", "    if mask in outputs or any(mask and mask in other.input for other in graph.node):"),
]
