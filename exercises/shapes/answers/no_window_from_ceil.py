"""Raises where the input is shorter than the window, also where rounding up gives one window."""

EXPECTED = {"loses": ["short-inputs"], "rung": "numerics", "shows": "no-window-from-ceil"}
BASE = "valid_loop"
EDITS = [("    if ceil_mode and following", "    if ceil_mode and starts and following")]
