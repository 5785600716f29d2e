"""Takes a file that parses for a whole one, and blames its versions."""

EXPECTED = {"score": 0.9124, "rung": "loads", "message": "Nothing raises here", "shows": "parse-raises-nothing"}
BASE = "valid_plain"
EDITS = [
    (
        """    if not model.HasField("graph"):
        return "unreadable"
""",
        "",
    ),
]
