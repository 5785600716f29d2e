"""Raises where the input is shorter than the window, also where rounding up gives one window."""

EXPECTED = {"score": 0.886, "rung": "numerics", "message": "Rule 3 comes before rule 4", "shows": "no-window-from-ceil"}
BASE = "valid_loop"
EDITS = [("    if ceil_mode and following", "    if ceil_mode and starts and following")]
