"""Compares the sum of the sizes with the length of the data."""

EXPECTED = {"loses": ["offsets"], "rung": "structure", "shows": "adds-sizes"}
BASE = "valid_plain"
EDITS = [
    (
        """    at = 0
    for begin, end in sorted(entry["data_offsets"] for entry in entries):
        if begin != at:
            raise ValueError("a hole or an overlap")
        at = end
    if at != available:""",
        """    sizes = [end - begin for begin, end in (entry["data_offsets"] for entry in entries)]
    if sum(sizes) != available or any(entry["data_offsets"][1] > available for entry in entries):""",
    ),
]
