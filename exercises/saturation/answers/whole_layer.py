"""Takes the two largest codes of the whole layer."""

EXPECTED = {"loses": ["one-large"], "rung": "structure", "shows": "other-outputs"}
BASE = "valid_halves"
EDITS = [('rows.reshape(len(rows), -1)', 'rows.reshape(1, -1)')]
