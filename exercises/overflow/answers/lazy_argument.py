"""Returns the names of the feeds."""

EXPECTED = {"lazy": "argument", "score": 0.1, "rung": "structure", "message": "bring along", "shows": "blames-masks"}


def find_overflow(model, feeds):
    return list(feeds)
