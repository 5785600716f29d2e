"""The library for what it does, and a look at the raw bytes for what it lets pass."""

import json

import torch
from safetensors import SafetensorError, safe_open

EXPECTED = {"rung": None}


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


def once(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def validate(path):
    try:
        with safe_open(path, "pt") as file:
            file.keys()
    except SafetensorError as error:
        raise ValueError(str(error)) from None
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        text = file.read(length).decode()
    if length % 8 or not text.startswith("{"):
        raise ValueError("not as the format says")
    header = json.loads(text, object_pairs_hook=once)
    if header.get("__metadata__", {}) is None:
        raise ValueError("metadata are an object")
    for name, entry in header.items():
        if name != "__metadata__" and (type(entry) is not dict or len(entry) != 3):
            raise ValueError("an entry has three fields")
