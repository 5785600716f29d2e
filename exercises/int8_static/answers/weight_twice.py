"""Takes a weight out of the model with its first layer, although another one reads it too."""

EXPECTED = {"loses": ["two-inputs"], "rung": "type", "shows": "raises-value-error"}
BASE = "valid_by_hand"
EDITS = [("            if w not in done:\n", "            if True:\n")]
