"""Asks of epsilon that it is one number, and not how many dimensions it has."""

EXPECTED = {"loses": ["relatives"], "rung": "structure", "shows": "number-of-more-dimensions"}
BASE = "valid_ir"
EDITS = [
    ("if is_number(e, sub.inputs[0])", "if constant(e) is not None and constant(e).size == 1"),
]
