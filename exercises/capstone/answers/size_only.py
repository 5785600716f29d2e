"""Chooses by size alone."""

EXPECTED = {"loses": ["impossible"], "rung": "quality: choice", "shows": "too-coarse"}
BASE = "valid_static"
EDITS = [
    (
        'fitting = [entry for entry in entries if entry["bytes"] <= budget["bytes"] and entry["sqnr_db"] >= budget["sqnr_db"]]',
        'fitting = [entry for entry in entries if entry["bytes"] <= budget["bytes"]]',
    ),
]
