"""Compares traces on other values and on twice as many rows, and never on fewer."""

EXPECTED = {"loses": ["rows"], "rung": "structure", "shows": "always-trace"}
BASE = "valid_trace_first"
EDITS = [("lambda tensor: tensor[:1], ", "")]
