"""Takes a file that parses for a whole one, and blames its versions."""

EXPECTED = {"loses": ["files"], "rung": "loads", "shows": "parse-raises-nothing"}
BASE = "valid_plain"
EDITS = [
    (
        """    if not model.HasField("graph"):
        return "unreadable"
""",
        "",
    ),
]
