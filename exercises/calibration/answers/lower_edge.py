"""The lower edge of the bin."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": "The cut lies at the upper edge", "shows": "lower-edge"}
BASE = "valid_plain"
EDITS = [("np.argmax(share >= keep)) + 1", "np.argmax(share >= keep))")]
