"""Takes a value without a shape for a single number."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": 'ask HasField', "shows": "unknown-rank"}
BASE = "valid_proto"
EDITS = [
    (
        """\
        if kind.HasField("shape"):
""",
        """\
        if True:
""",
    ),
]
