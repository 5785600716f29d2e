"""Writes the masks of the main graph's Dropouts, and not those of branches, which have no inputs."""

EXPECTED = {"loses": ["masks"], "rung": "loads", "shows": "mask-forgotten"}
BASE = "valid_rename"
EDITS = [
    ("    if mask:", "    if mask and graph.input:"),
]
