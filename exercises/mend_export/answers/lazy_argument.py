"""Returns the module as it came."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-something-else", "lazy": "argument"}


def mend(module, arguments, keywords, wanted, limits):
    return module
