"""int() for the nearest whole number."""

EXPECTED = {"score": 0.55, "rung": "structure", "message": "round towards zero", "shows": "zero-point-cut"}
BASE = "valid_plain"
EDITS = [("int(np.rint(-low / scale))", "int(-low / scale)")]
