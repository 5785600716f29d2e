"""Changes tensors in place, although two layers may read them."""

EXPECTED = {"score": 0.55, "rung": "structure", "message": "tensors of its own", "shows": "shared"}
BASE = "valid_halves"
EDITS = [("    unshare(new.graph)\n", "")]
