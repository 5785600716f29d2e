"""Gives bytes to json.loads."""

EXPECTED = {"loses": ["text"], "rung": "structure", "shows": "guesses-encoding"}
BASE = "valid_plain"
EDITS = [
    (
        'header = json.loads(data[8 : 8 + length].decode("utf-8"), object_pairs_hook=once, parse_int=count)',
        "header = json.loads(data[8 : 8 + length], object_pairs_hook=once, parse_int=count)",
    ),
]
