"""Returns what the exporter gives."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-something-else"}
BASE = "valid_walk"
EDITS = [
    ("verbose=False).model_proto", "verbose=False)"),
]
