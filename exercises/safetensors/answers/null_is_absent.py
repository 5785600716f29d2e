"""Takes metadata that are null for no metadata."""

EXPECTED = {"loses": ["entries"], "rung": "structure", "shows": "null-is-absent"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
""",
        """\
    metadata = header.pop("__metadata__", None)
    if metadata is not None and not (isinstance(metadata, dict) and all(isinstance(value, str) for value in metadata.values())):
""",
    ),
]
