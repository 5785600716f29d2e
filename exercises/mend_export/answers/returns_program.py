"""Returns what the exporter gives."""

EXPECTED = {"score": 0.0, "rung": "type", "message": "Another thing", "shows": "returns-something-else"}
BASE = "valid_walk"
EDITS = [
    ("verbose=False).model_proto", "verbose=False)"),
]
