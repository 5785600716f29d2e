"""Takes a value without a shape for a single number."""

EXPECTED = {"loses": ["unknown"], "rung": "structure", "shows": "unknown-rank"}
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
