"""Returns the names of the feeds."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "blames-masks", "lazy": "argument"}


def find_overflow(model, feeds):
    return list(feeds)
