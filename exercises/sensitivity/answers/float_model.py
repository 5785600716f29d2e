"""The float model as it came."""

EXPECTED = {"loses": "everything", "rung": "quality", "shows": "over-budget", "lazy": "argument"}
BASE = "valid_sets"
EDITS = [
    (
        "    names = [",
        """\
    return model
    names = [""",
    ),
]
