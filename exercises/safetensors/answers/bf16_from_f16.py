"""Takes BF16 for F16, and makes float32 of it."""

EXPECTED = {"loses": ["bfloat16", "dtypes"], "rung": "numerics", "shows": "bf16-from-f16"}
BASE = "valid_plain"
EDITS = [
    ('return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)', 'return np.frombuffer(raw, "<f2").astype(np.float32)'),
]
