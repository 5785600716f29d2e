"""Refuses every header, and leaves the tensors to the library."""

from safetensors.torch import load_file

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "big-endian-length", "lazy": "library"}


def read_header(data):
    raise ValueError("no header")


def load_tensor(path, name):
    return load_file(path)[name].float().numpy()


def validate(path):
    return None
