"""Hands the limits to Dim.DYNAMIC, which takes narrower ones in silence."""

EXPECTED = {"loses": ["narrower"], "rung": "structure", "shows": "limit-lost"}
BASE = "valid_walk"
EDITS = [
    (
        '            dims[word] = Dim(word, min=limit.get("min", 1), max=limit.get("max"))',
        "            dims[word] = Dim.DYNAMIC(**limit) if limit else Dim(word, min=1)",
    ),
]
