"""Maps the file, reads with numpy.memmap, and checks with small tables of rules."""

import json
import mmap
import os
import struct
from itertools import pairwise
from math import prod

import ml_dtypes
import numpy as np

EXPECTED = {"rung": None}

TYPES = {
    "BOOL": np.bool_,
    "C64": np.complex64,
    "BF16": ml_dtypes.bfloat16,
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
    **{f"{kind}{8 * size}": np.dtype(f"<{kind.lower()}{size}") for kind in "UIF" for size in (1, 2, 4, 8) if (kind, size) != ("F", 1)},
}


class Refused(ValueError):
    pass


def unique(pairs):
    found = {}
    for key, value in pairs:
        if key in found:
            raise Refused(key)
        found[key] = value
    return found


def whole(digits):
    if digits[0] == "-" or not -1 < int(digits) < 2**64:
        raise Refused(digits)
    return int(digits)


def read_header(data):
    try:
        (length,) = struct.unpack_from("<Q", data)
        text = bytes(data[8 : 8 + length]) if length <= len(data) - 8 else b""
        header = json.JSONDecoder(object_pairs_hook=unique, parse_int=whole).decode(text.decode())
        json.dumps(header, ensure_ascii=False).encode()
    except (struct.error, RecursionError) as error:
        raise Refused(str(error)) from error
    if isinstance(header, dict):
        return header
    raise Refused("not an object")


def mapped(path):
    if os.path.getsize(path) < 8:
        raise Refused("too short")
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def load_tensor(path, name):
    view = mapped(path)
    entry = read_header(view)[name]
    begin, end = entry["data_offsets"]
    start = 8 + struct.unpack_from("<Q", view)[0] + begin
    dtype = np.dtype(TYPES[entry["dtype"]])
    values = np.memmap(path, dtype, "r", start, tuple(entry["shape"])) if begin < end else np.zeros(entry["shape"], dtype)
    return values.astype(np.float32) if entry["dtype"] == "BF16" else values


def numbers(value, length=None):
    return type(value) is list and (length is None or len(value) == length) and all(type(n) is int and n >= 0 for n in value)


def validate(path):
    view = mapped(path)
    start = 8 + struct.unpack_from("<Q", view)[0]
    if start > 100_000_008:
        raise Refused("too long")
    header = read_header(view)
    metadata = header.pop("__metadata__", {})
    if view[8:9] != b"{" or start % 8 or type(metadata) is not dict or any(type(text) is not str for text in metadata.values()):
        raise Refused("the header")
    spans = []
    for entry in header.values():
        if type(entry) is not dict or sorted(entry) != ["data_offsets", "dtype", "shape"]:
            raise Refused("fields")
        if not numbers(entry["shape"]) or not numbers(entry["data_offsets"], 2) or str(entry["dtype"]) not in TYPES:
            raise Refused("values")
        begin, end = entry["data_offsets"]
        if begin + prod(entry["shape"]) * np.dtype(TYPES[entry["dtype"]]).itemsize != end:
            raise Refused("size")
        spans.append((begin, end))
    spans = [(0, 0), *sorted(spans), (len(view) - start, len(view) - start)]
    if any(previous[1] != following[0] for previous, following in pairwise(spans)):
        raise Refused("cover")
