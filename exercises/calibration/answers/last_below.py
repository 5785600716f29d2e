"""The last cut below the share."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": "still smaller than", "shows": "last-below"}
BASE = "valid_plain"
EDITS = [("int(np.argmax(share >= keep)) + 1", "int(np.sum(share < keep)) - 1")]
