"""Adds the two largest magnitudes."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": "with their signs", "shows": "signs-dropped"}
BASE = "valid_halves"
EDITS = [('rows.astype(np.int32)', 'np.abs(rows.astype(np.int32))')]
