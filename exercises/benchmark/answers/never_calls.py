"""Measures the time that it takes to name a variant."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "no variant is called", "shows": "never-calls"}
BASE = "valid_windows"
EDITS = [
    ("call()", "call  # noqa: B018"),
]
