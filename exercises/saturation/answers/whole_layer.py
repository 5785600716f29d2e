"""Takes the two largest codes of the whole layer."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": "Two codes of different outputs", "shows": "other-outputs"}
BASE = "valid_halves"
EDITS = [('rows.reshape(len(rows), -1)', 'rows.reshape(1, -1)')]
