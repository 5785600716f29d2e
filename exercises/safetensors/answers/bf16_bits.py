"""Returns the bits of BF16 numbers."""

EXPECTED = {"loses": ["bfloat16", "dtypes"], "rung": "numerics", "shows": "bf16-bits"}
BASE = "valid_plain"
EDITS = [
    ('return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)', 'return np.frombuffer(raw, "<u2")'),
]
