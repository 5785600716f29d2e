"""The share that goes, in place of the one that stays."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": "the share that stays", "shows": "cuts-the-rest"}
BASE = "valid_plain"
EDITS = [("share >= keep", "share >= 1 - keep")]
