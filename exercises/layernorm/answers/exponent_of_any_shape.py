"""Asks of the exponent that it is 2, and not how many dimensions it has."""

EXPECTED = {"loses": ["relatives"], "rung": "structure", "shows": "number-of-more-dimensions"}
BASE = "valid_ir"
EDITS = [
    ("is_number(power.inputs[1], d, 2)", "constant(power.inputs[1]) == 2"),
]
