"""The first cut that keeps more than the share."""

EXPECTED = {"score": 0.8571, "rung": "structure", "message": "exactly is enough", "shows": "more-than-the-share"}
BASE = "valid_plain"
EDITS = [("share >= keep", "share > keep")]
