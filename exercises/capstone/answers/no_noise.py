"""Claims that nothing is lost."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "no noise at all", "shows": "no-noise"}
BASE = "valid_static"
EDITS = [
    ('"sqnr_db": measure(expected, path, example),', '"sqnr_db": 100,'),
]
