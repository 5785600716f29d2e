"""Says that a model is invalid and not why."""

EXPECTED = {"loses": ["files", "session", "operators-and-names", "order", "tidy"], "rung": "type", "shows": "unknown-text"}
BASE = "valid_plain"
EDITS = [
    ("return by_checker(model, text)", 'return "invalid"'),
]
