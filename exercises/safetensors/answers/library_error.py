"""Lets the library's own error through."""

import json

import torch
from safetensors import safe_open

EXPECTED = {"loses": ["lengths", "text", "strict", "entries", "offsets", "valid", "frugal"], "rung": "structure", "shows": "library-error"}


def read_header(data):
    if len(data) < 8:
        raise ValueError("too short")
    length = int.from_bytes(data[:8], "little")
    if length > len(data) - 8:
        raise ValueError("the header does not fit")
    try:
        header = json.loads(str(data[8 : 8 + length], "utf-8"))
    except RecursionError as error:
        raise ValueError(error) from error
    if type(header) is not dict:
        raise ValueError("not an object")
    return header


def load_tensor(path, name):
    with safe_open(path, "pt") as file:
        if name not in set(file.keys()):
            raise KeyError(name)
        tensor = file.get_tensor(name)
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


def validate(path):
    with safe_open(path, "pt") as file:
        file.keys()
