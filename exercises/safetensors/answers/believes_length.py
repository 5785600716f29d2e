"""Asks for as many bytes as the header claims to have, and looks afterwards."""

EXPECTED = {"score": 0.8, "rung": "quality", "message": "makes no buffer", "shows": "believes-length"}
BASE = "valid_plain"
EDITS = [
    ("return head + file.read(min(length, Path(path).stat().st_size))", "return head + file.read(min(length, 100_000_000))"),
]
