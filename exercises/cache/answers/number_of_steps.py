"""Gives a token more than was asked for."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "contract",
    "shows": "number-of-steps",
}
BASE = 'valid_plain'
EDITS = [
    (
        "    while len(tokens) < steps:",
        "    while len(tokens) <= steps:",
    ),
]
