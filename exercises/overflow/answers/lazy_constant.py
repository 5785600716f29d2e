"""Says of every model that nothing overflows."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "cpu-runtime", "lazy": "constant"}


def find_overflow(model, feeds):
    return []
