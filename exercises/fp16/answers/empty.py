"""The stub, as it is handed out."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def to_fp16(model):
    raise NotImplementedError()
