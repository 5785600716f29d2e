"""The untouched stubs."""

EXPECTED = {"score": 0, "rung": "exists", "message": "the stub", "shows": "not-done"}


def read_header(data):
    raise NotImplementedError()


def load_tensor(path, name):
    raise NotImplementedError()


def validate(path):
    raise NotImplementedError()
