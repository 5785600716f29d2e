"""Returns True or False."""

EXPECTED = {"score": 0.7, "rung": "structure", "message": "it returns bool", "shows": "returns-bool"}
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
