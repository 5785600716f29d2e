"""Looks at each entry, and never at what lies between them."""

EXPECTED = {"loses": ["offsets"], "rung": "structure", "shows": "no-cover"}
BASE = "valid_plain"
EDITS = [
    (
        """def check_cover(entries, available):
    at = 0
    for begin, end in sorted(entry["data_offsets"] for entry in entries):
        if begin != at:
            raise ValueError("a hole or an overlap")
        at = end
    if at != available:
        raise ValueError("the data are too short or too long")

""",
        "",
    ),
    ("    check_cover(header.values(), Path(path).stat().st_size - len(head))", ""),
]
