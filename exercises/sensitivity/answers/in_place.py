"""Writes into the quantized model."""

EXPECTED = {"score": 0.7, "rung": "contract", "message": "one of them is changed", "shows": "in-place"}
BASE = "valid_sets"
EDITS = [
    (
        "    return max(tried)[2]",
        """\
    small.CopyFrom(max(tried)[2])
    return small""",
    ),
]
