"""Fixes the size of rows by what the model says of it."""

EXPECTED = {"loses": ["files-layout"], "rung": "contract: files", "shows": "sizes-fixed"}
BASE = "valid_plain"
EDITS = [
    (
        """\
        options = ort.SessionOptions()
""",
        """\
        options = ort.SessionOptions()
        options.add_free_dimension_override_by_denotation("DATA_BATCH", 1)
""",
    ),
]
