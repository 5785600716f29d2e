"""The stub, as it is handed out."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def keep_float(model, small, feeds, spare):
    raise NotImplementedError()
