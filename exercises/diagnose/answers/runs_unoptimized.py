"""Runs without optimizations, and in the reference evaluator."""

EXPECTED = {"loses": ["numbers"], "rung": "numerics", "shows": "one-level"}
BASE = "valid_plain"
EDITS = [
    ('for evaluator in (*(open_session(path, level) for level in LEVELS), ', 'for evaluator in (open_session(path, LEVELS[0]), '),
]
