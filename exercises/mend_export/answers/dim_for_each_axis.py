"""Declares a Dim of its own for each axis, also where two have one word."""

EXPECTED = {"loses": ["nested", "order"], "rung": "type", "shows": "raises"}
BASE = "valid_walk"
EDITS = [
    (
        "    def declared(tensor, axes):\n        return {axis: dims[word]",
        """\
    def own(tensor, word):
        return dims[word] if word in limits else Dim(f"{word}_{id(tensor)}", min=1)

    def declared(tensor, axes):
        return {axis: own(tensor, word)""",
    ),
]
