"""Returns the fields of the model that the message itself has."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "key-forgotten", "lazy": "argument"}


def describe(model, directory=None):
    return {"ir_version": model.ir_version}
