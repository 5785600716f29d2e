"""Fixes the size of the batch, as some guides recommend, and counts and saves as asked."""

EXPECTED = {"loses": ["files-folded", "files-layout"], "rung": "contract: files", "shows": "sizes-fixed"}
BASE = "valid_plain"
EDITS = [
    (
        "        options = ort.SessionOptions()\n",
        """\
        options = ort.SessionOptions()
        options.add_free_dimension_override_by_name("N", 1)
""",
    ),
]
