"""Repeats the step twenty times at most."""

EXPECTED = {"loses": ["loop", "loop-whole-numbers", "names"], "rung": "numerics", "shows": "fixed-steps"}
BASE = "valid_script"
EDITS = [("range(sequence.size(0))", "range(min(sequence.size(0), 20))")]
