"""Fixes the size of the batch, as some guides recommend, and counts and saves as asked."""

EXPECTED = {"score": 0.5, "rung": "contract", "message": "a size is fixed that the source leaves open", "shows": "sizes-fixed"}
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
