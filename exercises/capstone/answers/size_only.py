"""Chooses by size alone."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "by its own entry, and the budget asks for", "shows": "too-coarse"}
BASE = "valid_static"
EDITS = [
    (
        'fitting = [entry for entry in entries if entry["bytes"] <= budget["bytes"] and entry["sqnr_db"] >= budget["sqnr_db"]]',
        'fitting = [entry for entry in entries if entry["bytes"] <= budget["bytes"]]',
    ),
]
