"""Returns int32 without saying so."""

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "not-codes"}
BASE = "valid_plain"
EDITS = [("codes.astype(y_zero.dtype)", "codes.astype(np.int32)")]
