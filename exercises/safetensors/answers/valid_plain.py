"""Every rule of the format in its order: the answer that most of the wrong ones spoil."""

import json
import math
from pathlib import Path

import numpy as np

EXPECTED = {"rung": None}

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


def count(digits):
    if digits.startswith("-") or int(digits) >= 2**64:
        raise ValueError("no number of 64 bits without a sign")
    return int(digits)


def read_header(data):
    if len(data) < 8:
        raise ValueError("too short")
    length = int.from_bytes(data[:8], "little")
    if length > min(100_000_000, len(data) - 8):
        raise ValueError("the header does not fit")
    try:
        header = json.loads(data[8 : 8 + length].decode("utf-8"), object_pairs_hook=once, parse_int=count)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(header, dict):
        raise ValueError("not an object")
    json.dumps(header, ensure_ascii=False).encode()
    return header


def read_head(path):
    with open(path, "rb") as file:
        head = file.read(8)
        length = int.from_bytes(head, "little")
        most = min(100_000_000, Path(path).stat().st_size)
        return head + file.read(length if length <= most else 0)


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


def is_counts(values):
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def check_entry(entry):
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ValueError("an entry has three fields")
    if not isinstance(entry["dtype"], str) or entry["dtype"] not in SIZES:
        raise ValueError("no such dtype")
    if not is_counts(entry["shape"]) or not is_counts(entry["data_offsets"]) or len(entry["data_offsets"]) != 2:
        raise ValueError("shape and offsets are lists of numbers")
    begin, end = entry["data_offsets"]
    if end - begin != math.prod(entry["shape"]) * SIZES[entry["dtype"]]:
        raise ValueError("shape and offsets differ")


def check_cover(entries, available):
    at = 0
    for begin, end in sorted(entry["data_offsets"] for entry in entries):
        if begin != at:
            raise ValueError("a hole or an overlap")
        at = end
    if at != available:
        raise ValueError("the data are too short or too long")


def validate(path):
    head = read_head(path)
    header = read_header(head)
    if head[8:9] != b"{" or len(head) % 8:
        raise ValueError("the header starts with a brace and ends at a multiple of 8")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise ValueError("metadata are texts")
    for entry in header.values():
        check_entry(entry)
    check_cover(header.values(), Path(path).stat().st_size - len(head))
