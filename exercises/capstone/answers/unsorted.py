"""Ships the float16 graph as the converter leaves it."""

EXPECTED = {"score": 0.075, "rung": "loads", "message": "stands before the one that writes its input", "shows": "unsorted"}
BASE = "valid_static"
EDITS = [
    ("    half.graph.sort()", ""),
]
