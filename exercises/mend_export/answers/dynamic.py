"""Asks for Dim.DYNAMIC, which accepts limits in silence."""

EXPECTED = {"loses": ["narrower"], "rung": "structure", "shows": "limit-lost"}
BASE = "valid_walk"
EDITS = [
    (
        """\
        if step > 1:
            dims[word] = step * Dim(f"_{word}", min=1)
        else:
            dims[word] = Dim(word, min=limit.get("min", 1), max=limit.get("max"))
""",
        """\
        dims[word] = Dim.DYNAMIC
""",
    ),
]
