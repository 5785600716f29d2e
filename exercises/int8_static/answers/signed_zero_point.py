"""Stores activations in int8, with the zero point that they would have in uint8."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "zero-point"}
BASE = "valid_by_hand"
EDITS = [("np.array(round(-low / scale), np.uint8)", "np.array(min(round(-low / scale), 127), np.int8)")]
