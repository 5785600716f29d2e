"""Fixes the size that is called batch."""

EXPECTED = {"loses": ["files-fused"], "rung": "contract: files", "shows": "sizes-fixed"}
BASE = "valid_plain"
EDITS = [
    (
        """\
        options = ort.SessionOptions()
""",
        """\
        options = ort.SessionOptions()
        options.add_free_dimension_override_by_name("batch", 1)
""",
    ),
]
