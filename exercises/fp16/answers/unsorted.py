"""Appends the Casts of the inputs at the end of the list of nodes."""

EXPECTED = {"score": 0.0, "rung": "loads", "message": "written further down", "shows": "unsorted"}
BASE = "valid_lifted"
EDITS = [
    (
        "done = casts + [made for node in nodes for made in convert(node, floats, large, {*inputs, *outputs})] + last",
        "done = [made for node in nodes for made in convert(node, floats, large, {*inputs, *outputs})] + last + casts",
    ),
]
