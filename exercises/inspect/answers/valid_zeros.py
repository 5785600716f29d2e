"""As valid_plain, and operators that do not occur are counted as 0."""

EXPECTED = {"rung": None}
BASE = "valid_plain"
EDITS = [
    ('"operators": dict(Counter(', '"operators": {"If": 0, "Loop": 0, "Scan": 0} | dict(Counter('),
]
