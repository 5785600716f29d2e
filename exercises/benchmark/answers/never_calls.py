"""Measures the time that it takes to name a variant."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "never-calls"}
BASE = "valid_windows"
EDITS = [
    ("call()", "call  # noqa: B018"),
]
