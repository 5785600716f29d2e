"""Returns the module as it came."""

EXPECTED = {"score": 0.0, "rung": "type", "message": "Another thing", "shows": "returns-something-else", "lazy": "argument"}


def mend(module, arguments, keywords, wanted, limits):
    return module
