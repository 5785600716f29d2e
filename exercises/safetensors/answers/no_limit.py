"""Compares the header's length with the file, and with no limit."""

EXPECTED = {"loses": ["frugal"], "rung": "quality", "shows": "no-limit"}
BASE = "valid_plain"
EDITS = [
    ('        most = min(100_000_000, Path(path).stat().st_size)', '        most = Path(path).stat().st_size'),
    ('min(100_000_000, len(data) - 8)', 'len(data) - 8'),
]
