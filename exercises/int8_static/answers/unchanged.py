"""Gives the model back as it is."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "comes back as it went in", "shows": "unchanged", "lazy": "argument"}


def quantize_cnn(model, calibration):
    return model
