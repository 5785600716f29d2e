"""The zero point without its minus."""

EXPECTED = {"score": 0.2125, "rung": "structure", "message": "with the minus", "shows": "zero-point-upside-down"}
BASE = "valid_plain"
EDITS = [("np.rint(-low / scale)", "np.rint(low / scale)")]
