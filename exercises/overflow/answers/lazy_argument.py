"""Returns the names of the feeds."""

EXPECTED = {"lazy": "argument", "score": 0.1, "rung": "structure", "message": "other names", "shows": "names-nodes"}


def find_overflow(model, feeds):
    return list(feeds)
