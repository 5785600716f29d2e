"""Takes BF16 for F16."""

EXPECTED = {"loses": ["bfloat16", "dtypes"], "rung": "numerics", "shows": "bf16-as-f16"}
BASE = "valid_plain"
EDITS = [
    ('return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)', 'return np.frombuffer(raw, "<f2")'),
]
