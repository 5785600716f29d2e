"""Refuses more than eight dimensions."""

EXPECTED = {"loses": ["valid"], "rung": "structure", "shows": "few-dimensions"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    begin, end = entry["data_offsets"]
    if end""",
        """\
    if len(entry["shape"]) > 8:
        raise ValueError("too many dimensions")
    begin, end = entry["data_offsets"]
    if end""",
    ),
]
