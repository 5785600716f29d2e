"""Refuses every header, and leaves the tensors to the library."""

from safetensors.torch import load_file

EXPECTED = {"score": 0.1, "rung": "loads", "message": "can be read is refused", "lazy": "library", "shows": "big-endian-length"}


def read_header(data):
    raise ValueError("no header")


def load_tensor(path, name):
    return load_file(path)[name].float().numpy()


def validate(path):
    return None
