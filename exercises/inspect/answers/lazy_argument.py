"""Returns the fields of the model that the message itself has."""

EXPECTED = {
    "score": 0.0,
    "rung": "loads",
    "message": "no key opset, operators",
    "lazy": "argument",
    "shows": "key-forgotten",
}


def describe(model, directory=None):
    return {"ir_version": model.ir_version}
