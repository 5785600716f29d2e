"""Goes through all feeds, and keeps the ranges of the last one."""

EXPECTED = {
    "loses": ["branches", "depthwise", "constant-nodes", "rescaled", "two-inputs", "size", "argument"],
    "rung": "numerics",
    "shows": "last-feed",
}
BASE = "valid_by_hand"
EDITS = [("    for feeds in calibration:\n", "    for feeds in list(calibration)[-1:]:\n")]
