"""Chooses a second token before it asks how many are wanted."""

EXPECTED = {"loses": ["usual"], "rung": "contract", "shows": "number-of-steps"}
BASE = "valid_plain"
EDITS = [
    ("    while len(tokens) < steps:", "    while len(tokens) < max(steps, 2):"),
]
