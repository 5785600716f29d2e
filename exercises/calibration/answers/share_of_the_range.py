"""A share of the range."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": "a share of the range", "shows": "share-of-the-range"}
BASE = "valid_plain"
EDITS = [("int(np.argmax(share >= keep)) + 1", "round(keep * len(counts))")]
