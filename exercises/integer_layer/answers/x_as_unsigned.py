"""Takes the codes of x for uint8, whatever they are."""

EXPECTED = {"score": 0.85, "rung": "numerics", "message": "-1 became 255", "shows": "x-as-unsigned"}
BASE = "valid_plain"
EDITS = [("x.astype(np.int32)", "x.astype(np.uint8).astype(np.int32)")]
