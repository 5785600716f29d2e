"""Leaves empty tensors out when it looks at the places of the others."""

EXPECTED = {"loses": ["offsets"], "rung": "structure", "shows": "skips-empty-tensors"}
BASE = "valid_plain"
EDITS = [
    (
        '    for begin, end in sorted(entry["data_offsets"] for entry in entries):',
        """    for begin, end in sorted(entry["data_offsets"] for entry in entries):
        if begin == end:
            continue""",
    ),
]
