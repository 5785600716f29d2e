"""Sets to zero what is below the smallest normal number."""

EXPECTED = {"loses": ["exported", "rounding"], "rung": "structure", "shows": "flushes-subnormals"}
BASE = "valid_lifted"
EDITS = [
    (
        "                half = numbers.astype(np.float16)",
        """\
                half = numbers.astype(np.float16)
            half = np.where(np.abs(half) < 6.1e-5, np.float16(0), half)""",
    ),
]
