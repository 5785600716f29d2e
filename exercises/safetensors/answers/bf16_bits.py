"""Returns the bits of BF16 numbers."""

EXPECTED = {"score": 0.633, "rung": "numerics", "message": "BF16 as uint16", "shows": "bf16-bits"}
BASE = "valid_plain"
EDITS = [
    ('return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)', 'return np.frombuffer(raw, "<u2")'),
]
