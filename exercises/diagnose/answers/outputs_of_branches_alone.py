"""Removes the declared outputs of branches, and keeps their inner values."""

EXPECTED = {"loses": ["shapes"], "rung": "structure", "shows": "far-inside"}
BASE = "valid_plain"
EDITS = [
    (
        "    del graph.value_info[:]",
        """\
    if graph.input:
        del graph.value_info[:]""",
    ),
]
