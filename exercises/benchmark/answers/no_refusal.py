"""Returns an empty result when there is nothing to measure."""

EXPECTED = {"score": 0.95, "rung": "contract", "message": "a caller who gets an answer believes it", "shows": "no-refusal"}
BASE = "valid_windows"
EDITS = [
    ('raise ValueError("nothing to measure")', "return {}"),
]
