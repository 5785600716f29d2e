"""Takes the codes of x for uint8, whatever they are."""

EXPECTED = {"loses": ["signed-codes"], "rung": "numerics", "shows": "x-as-unsigned"}
BASE = "valid_plain"
EDITS = [("x.astype(np.int32)", "x.astype(np.uint8).astype(np.int32)")]
