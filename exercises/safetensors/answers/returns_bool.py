"""Returns True or False."""

EXPECTED = {"loses": ["lengths", "text", "strict", "entries", "offsets", "valid", "frugal"], "rung": "structure", "shows": "returns-bool"}
BASE = "valid_plain"
EDITS = [
    (
        "def validate(path):",
        """def validate(path):
    try:
        validate_or_raise(path)
    except ValueError:
        return False
    return True


def validate_or_raise(path):""",
    ),
]
