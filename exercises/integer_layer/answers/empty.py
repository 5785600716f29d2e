"""The stub, as it is handed out."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def integer_linear(x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero):
    raise NotImplementedError()
