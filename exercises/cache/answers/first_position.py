"""Reads the logits behind the first token of a call."""

EXPECTED = {
    "loses": ["usual", "rows", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "numerics",
    "shows": "first-position",
}
BASE = 'valid_plain'
EDITS = [
    (
        "    tokens = [logits[:, -1].argmax(-1)]",
        "    tokens = [logits[:, 0].argmax(-1)]",
    ),
]
