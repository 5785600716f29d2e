"""The untouched stubs."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def read_header(data):
    raise NotImplementedError()


def load_tensor(path, name):
    raise NotImplementedError()


def validate(path):
    raise NotImplementedError()
