"""Takes empty metadata for metadata that are no object."""

EXPECTED = {"loses": ["valid"], "rung": "structure", "shows": "refuses-empty-metadata"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    if not isinstance(metadata, dict) or not all(""",
        """\
    if ("__metadata__" in read_header(head) and not metadata) or not isinstance(metadata, dict) or not all(""",
    ),
]
