"""Declares one axis of an input for each word."""

EXPECTED = {"loses": ["equal"], "rung": "type", "shows": "raises"}
BASE = "valid_walk"
EDITS = [
    (
        """\
        return {axis: dims[word] for axis, word in enumerate(axes) if word in dims}

    def named""",
        """\
        first = {word: axis for axis, word in reversed(list(enumerate(axes)))}
        return {axis: dims[word] for word, axis in first.items() if word in dims}

    def named""",
    ),
]
