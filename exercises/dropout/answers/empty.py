"""The stub, as it is released."""

EXPECTED = {"score": 0.0, "rung": "exists", "message": "the stub"}


def remove_dropout(model):
    raise NotImplementedError
