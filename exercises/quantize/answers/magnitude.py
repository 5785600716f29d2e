"""The symmetric scale everywhere."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "belongs to the symmetric", "shows": "magnitude"}
BASE = "valid_plain"
EDITS = [("np.float32((high - low) / 255)", "np.float32(max(-low, high) / 127)")]
