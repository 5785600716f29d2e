"""Returns the path."""

EXPECTED = {
    "score": 0.0,
    "rung": "type",
    "message": "The text is not in the list, letter for letter",
    "lazy": "argument",
    "shows": "unknown-text",
}


def diagnose(path):
    return str(path)
