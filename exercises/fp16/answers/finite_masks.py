"""Replaces infinities by the largest numbers."""

EXPECTED = {"loses": ["rounding"], "rung": "structure", "shows": "finite-masks"}
BASE = "valid_lifted"
EDITS = [
    (
        "                half = numbers.astype(np.float16)",
        """\
                half = numbers.astype(np.float16)
            half = np.where(np.isinf(numbers), np.sign(numbers) * np.float16(65504), half).astype(np.float16)""",
    ),
]
