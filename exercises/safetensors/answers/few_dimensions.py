"""Refuses more than eight dimensions."""

EXPECTED = {"score": 0.85, "rung": 'structure', "message": 'no limit for the number of dimensions', "shows": 'few-dimensions'}
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
