"""Leaves it to Dim.AUTO what may be open."""

EXPECTED = {"loses": ["stored", "narrower"], "rung": "structure", "shows": "fixed-silently"}
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
        dims[word] = Dim.AUTO
""",
    ),
]
