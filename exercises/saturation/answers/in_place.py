"""Writes into the argument."""

EXPECTED = {"score": 0.7, "rung": "contract", "message": "passed in is changed", "shows": "in-place"}
BASE = "valid_halves"
EDITS = [
    (
        """\
    new = ModelProto()
    new.CopyFrom(model)
""",
        """\
    new = model
""",
    ),
]
