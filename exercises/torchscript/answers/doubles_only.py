"""Compares traces on other values and on twice as many rows, and never on fewer."""

EXPECTED = {"score": 0.35, "rung": "structure", "message": "one side of the choice is missing", "shows": "always-trace"}
BASE = "valid_trace_first"
EDITS = [("lambda tensor: tensor[:1], ", "")]
