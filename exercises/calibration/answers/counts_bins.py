"""Counts full bins."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": "Full bins were counted", "shows": "counts-bins"}
BASE = "valid_plain"
EDITS = [("np.cumsum(counts) / counts.sum()", "np.cumsum(counts > 0) / (counts > 0).sum()")]
