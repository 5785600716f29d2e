"""Writes into the quantized model."""

EXPECTED = {"loses": ["arguments"], "rung": "contract: the arguments", "shows": "in-place"}
BASE = "valid_sets"
EDITS = [
    (
        "    return max(tried)[2]",
        """\
    small.CopyFrom(max(tried)[2])
    return small""",
    ),
]
