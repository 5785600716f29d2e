"""Puts a Cast before an output that is an input."""

EXPECTED = {"loses": ["inputs-and-outputs"], "rung": "loads", "shows": "input-given-out"}
BASE = "valid_new_names"
EDITS = [
    (
        "if name in floats and name not in graph_inputs and name not in rename and name not in full:",
        "if name in floats and name not in rename and name not in full:",
    ),
    ("if name in rename and name not in graph_inputs:", "if name in rename:"),
]
