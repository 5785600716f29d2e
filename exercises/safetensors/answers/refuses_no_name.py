"""Refuses a tensor whose name is empty."""

EXPECTED = {"loses": ["valid"], "rung": "structure", "shows": "refuses-no-name"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    for entry in header.values():
        check_entry(entry)
""",
        """\
    if "" in header:
        raise ValueError("a tensor has a name")
    for entry in header.values():
        check_entry(entry)
""",
    ),
]
