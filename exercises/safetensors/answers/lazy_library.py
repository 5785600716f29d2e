"""The library with its defaults, for all three."""

import safetensors
from safetensors import safe_open

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "other-entries", "lazy": "library"}


def read_header(data):
    return dict(safetensors.deserialize(data))


def load_tensor(path, name):
    with safe_open(path, "np") as file:
        return file.get_tensor(name)


def validate(path):
    with safe_open(path, "np"):
        pass
