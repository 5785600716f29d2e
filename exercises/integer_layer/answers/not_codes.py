"""Returns int32 without saying so."""

EXPECTED = {"score": 0.5, "rung": "contract", "message": "an array of int32", "shows": "not-codes"}
BASE = "valid_plain"
EDITS = [("codes.astype(y_zero.dtype)", "codes.astype(np.int32)")]
