"""The stub, as it is released."""

EXPECTED = {"score": 0.0, "rung": "exists", "message": "the stub", "shows": "not-done"}


def quantize_cnn(model, calibration):
    raise NotImplementedError
