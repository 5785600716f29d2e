"""Appends the Casts of the inputs at the end of the list of nodes."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "unsorted"}
BASE = "valid_lifted"
EDITS = [
    (
        "done = casts + [made for node in nodes for made in convert(node, floats, large, {*inputs, *outputs})] + last",
        "done = [made for node in nodes for made in convert(node, floats, large, {*inputs, *outputs})] + last + casts",
    ),
]
