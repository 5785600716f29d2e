"""Adds the place of the data to the offsets in the header."""

EXPECTED = {"loses": ["headers", "metadata", "refused-text", "refused-lengths", "strict"], "rung": "loads", "shows": "absolute-offsets"}
BASE = "valid_plain"
EDITS = [
    ("def read_header(data):", "def stored_header(data):"),
    (
        '        raise ValueError("not an object")',
        """        raise ValueError("not an object")
    return header


def read_header(data):
    header = stored_header(data)
    start = 8 + int.from_bytes(data[:8], "little")
    for name in header.keys() - {"__metadata__"}:
        header[name]["data_offsets"] = [start + at for at in header[name]["data_offsets"]]""",
    ),
    (
        """    head = read_head(path)
    header = read_header(head)
    header.pop("__metadata__", None)""",
        """    head = read_head(path)
    header = stored_header(head)
    header.pop("__metadata__", None)""",
    ),
    (
        """    head = read_head(path)
    header = read_header(head)
    if head[8:9] != b"{" or len(head) % 8:""",
        """    head = read_head(path)
    header = stored_header(head)
    if head[8:9] != b"{" or len(head) % 8:""",
    ),
]
