"""Unsigned codes whatever y_zero says."""

EXPECTED = {"loses": ["signed-codes"], "rung": "contract", "shows": "always-unsigned"}
BASE = "valid_plain"
EDITS = [("np.iinfo(y_zero.dtype)", "np.iinfo(np.uint8)"), ("codes.astype(y_zero.dtype)", "codes.astype(np.uint8)")]
