"""Has no entry for BF16 in its table of dtypes."""

EXPECTED = {"loses": ["bfloat16", "dtypes"], "rung": "numerics", "shows": "bf16-forgotten"}
BASE = "valid_plain"
EDITS = [
    (
        """    if dtype == "BF16":
        return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(raw, "?" if dtype == "BOOL" else f"{KINDS[dtype[0]]}{SIZES[dtype]}")""",
        '    return np.frombuffer(raw, "?" if dtype == "BOOL" else f"{KINDS[dtype.rstrip(\'0123456789\')]}{SIZES[dtype]}")',
    ),
]
