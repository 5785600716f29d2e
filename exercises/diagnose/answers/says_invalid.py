"""Says that a model is invalid and not why."""

EXPECTED = {"score": 0.6966, "rung": "type", "message": "the text 'invalid'", "shows": "unknown-text"}
BASE = "valid_plain"
EDITS = [
    ("return by_checker(model, text)", 'return "invalid"'),
]
