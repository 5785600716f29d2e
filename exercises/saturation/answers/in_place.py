"""Writes into the argument."""

EXPECTED = {"loses": ["argument"], "rung": "contract: the argument", "shows": "in-place"}
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
