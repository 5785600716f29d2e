"""The float model as it came."""

EXPECTED = {"score": 0.1, "rung": "quality", "message": "Count bytes", "shows": "over-budget", "lazy": "argument"}
BASE = "valid_sets"
EDITS = [
    (
        "    names = [",
        """\
    return model
    names = [""",
    ),
]
