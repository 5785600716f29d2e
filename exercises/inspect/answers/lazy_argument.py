"""Returns the fields of the model that the message itself has."""

EXPECTED = {
    "score": 0.0,
    "rung": "loads",
    "message": "The numbers are fixed, or taken from another model",
    "lazy": "argument",
    "shows": "constants",
}


def describe(model, directory=None):
    return {"ir_version": model.ir_version}
