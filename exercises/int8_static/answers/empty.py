"""The stub, as it is released."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def quantize_cnn(model, calibration):
    raise NotImplementedError
