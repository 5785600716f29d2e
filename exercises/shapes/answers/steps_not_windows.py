"""Counts steps, not windows."""

EXPECTED = {
    "loses": ["usual-sizes", "padding-and-dilation", "ceil", "short-inputs", "all-arguments", "tidy"],
    "rung": "numerics",
    "shows": "steps-not-windows",
}
BASE = "valid_plain"
EDITS = [
    ("if steps < 0:", "if steps < 1:"),
    ("return steps + 1", "return steps"),
]
