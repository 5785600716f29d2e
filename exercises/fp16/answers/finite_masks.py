"""Replaces infinities by the largest numbers."""

EXPECTED = {"score": 0.7, "rung": "structure: all in float16", "message": "an infinity became", "shows": "finite-masks"}
BASE = "valid_lifted"
EDITS = [
    (
        "                half = numbers.astype(np.float16)",
        """\
                half = numbers.astype(np.float16)
            half = np.where(np.isinf(numbers), np.sign(numbers) * np.float16(65504), half).astype(np.float16)""",
    ),
]
