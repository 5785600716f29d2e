"""Takes a weight out of the model with its first layer, although another one reads it too."""

EXPECTED = {"score": 0.6, "rung": "type", "message": "raises", "shows": "raises-value-error"}
BASE = "valid_by_hand"
EDITS = [("            if w not in done:\n", "            if True:\n")]
