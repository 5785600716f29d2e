"""Unsigned codes whatever y_zero says."""

EXPECTED = {"score": 0.6, "rung": "contract", "message": "from -128 to 127", "shows": "always-unsigned"}
BASE = "valid_plain"
EDITS = [("np.iinfo(y_zero.dtype)", "np.iinfo(np.uint8)"), ("codes.astype(y_zero.dtype)", "codes.astype(np.uint8)")]
