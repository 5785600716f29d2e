"""Has not written validate."""

import json
from pathlib import Path

import numpy as np

EXPECTED = {"loses": ["lengths", "text", "strict", "entries", "offsets", "valid", "frugal"], "rung": "exists", "shows": "not-done"}

SIZES = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2"), 1),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 2),
    **dict.fromkeys(("U32", "I32", "F32"), 4),
    **dict.fromkeys(("C64", "U64", "I64", "F64"), 8),
}
KINDS = {"U": "<u", "I": "<i", "F": "<f", "C": "<c"}


def once(pairs):
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def read_header(data):
    if len(data) < 8:
        raise ValueError("too short")
    length = int.from_bytes(data[:8], "little")
    if length > min(100_000_000, len(data) - 8):
        raise ValueError("the header does not fit")
    try:
        header = json.loads(data[8 : 8 + length].decode("utf-8"), object_pairs_hook=once)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(header, dict):
        raise ValueError("not an object")
    return header


def read_head(path):
    with open(path, "rb") as file:
        head = file.read(8)
        length = int.from_bytes(head, "little")
        return head + file.read(min(length, Path(path).stat().st_size))


def numbers(raw, dtype):
    if dtype == "BF16":
        return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(raw, "?" if dtype == "BOOL" else f"{KINDS[dtype[0]]}{SIZES[dtype]}")


def load_tensor(path, name):
    head = read_head(path)
    header = read_header(head)
    header.pop("__metadata__", None)
    begin, end = header[name]["data_offsets"]
    with open(path, "rb") as file:
        file.seek(len(head) + begin)
        raw = file.read(end - begin)
    return numbers(raw, header[name]["dtype"]).reshape(header[name]["shape"])


def validate(path):
    raise NotImplementedError()
