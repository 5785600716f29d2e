"""Writes the masks of the main graph's Dropouts, and not those of branches, which have no inputs."""

EXPECTED = {"score": 0.7, "rung": "loads", "message": "the mask of a removed Dropout is still used", "shows": "mask-forgotten"}
BASE = "valid_rename"
EDITS = [
    ("    if mask:", "    if mask and graph.input:"),
]
