"""Adds the two largest magnitudes."""

EXPECTED = {"loses": ["one-large"], "rung": "structure", "shows": "signs-dropped"}
BASE = "valid_halves"
EDITS = [('rows.astype(np.int32)', 'np.abs(rows.astype(np.int32))')]
