"""Pairs caches by the first digit of their names, and by keys and values."""

EXPECTED = {"loses": ["wiring-in-any-order"], "rung": "structure", "shows": "wrong-pairs"}
BASE = "valid_plain"
EDITS = [
    (
        "            return name[len(word) :]",
        """\
            rest = name[len(word) :]
            digit = next((letter for letter in rest if letter.isdigit()), "")
            return digit + "".join(letter for letter in rest if not letter.isdigit())""",
    ),
]
