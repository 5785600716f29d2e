"""The untouched stub."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def export_model(module, example, path):
    raise NotImplementedError()
