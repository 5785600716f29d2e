"""Says of every model that nothing overflows."""

EXPECTED = {"lazy": "constant", "score": 0.1, "rung": "structure", "message": "no names at all", "shows": "cpu-runtime"}


def find_overflow(model, feeds):
    return []
