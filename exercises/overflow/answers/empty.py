"""The stub, as it is handed out."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def find_overflow(model, feeds):
    raise NotImplementedError()
