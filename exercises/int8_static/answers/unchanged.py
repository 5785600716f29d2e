"""Gives the model back as it is."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "unchanged", "lazy": "argument"}


def quantize_cnn(model, calibration):
    return model
