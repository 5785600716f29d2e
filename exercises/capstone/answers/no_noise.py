"""Claims that nothing is lost."""

EXPECTED = {"loses": ["sqnr"], "rung": "quality: sqnr", "shows": "no-noise"}
BASE = "valid_static"
EDITS = [
    ('"sqnr_db": measure(expected, path, example),', '"sqnr_db": 100,'),
]
