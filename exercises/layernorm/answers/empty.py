"""The stub, as it is released."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def remove_layernorm(model):
    raise NotImplementedError
