"""One class that reads with os.pread, and raises one kind of error."""

import json
import math
import os

import numpy as np

EXPECTED = {"rung": None}

WIDTHS = {"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "C64": 8}
WIDTHS |= {f"{kind}{bits}": bits // 8 for kind in ("U", "I", "F", "BF") for bits in (16, 32, 64)}
del WIDTHS["BF32"], WIDTHS["BF64"]


def number(text):
    return int(text) if text.isdigit() and len(text) < 21 and int(text) < 1 << 64 else text


def parse(text):
    def pairs(items):
        keys = [key for key, _ in items]
        if sorted(keys) != sorted(set(keys)):
            raise ValueError("repeated key")
        return dict(items)

    try:
        found = json.loads(text.decode(), object_pairs_hook=pairs, parse_int=number)
        json.dumps(found, ensure_ascii=False).encode()
        return found
    except RecursionError:
        raise ValueError("depth") from None


def read_header(data):
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 + length:
        raise ValueError("incomplete")
    header = parse(data[8 : 8 + length])
    if not isinstance(header, dict):
        raise ValueError("not an object")
    return header


class File:
    def __init__(self, path):
        self.handle = os.open(path, os.O_RDONLY)
        self.size = os.fstat(self.handle).st_size
        self.start = 8 + int.from_bytes(os.pread(self.handle, 8, 0), "little")
        if self.start > min(self.size, 100_000_008):
            raise ValueError("incomplete")
        self.text = os.pread(self.handle, self.start - 8, 8)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        os.close(self.handle)


def load_tensor(path, name):
    with File(path) as file:
        header = parse(file.text)
        entry = header[name] if name != "__metadata__" else header[None]
        begin, end = entry["data_offsets"]
        raw = bytearray(os.pread(file.handle, end - begin, file.start + begin))
    dtype = entry["dtype"]
    if dtype == "BF16":
        wide = np.zeros((len(raw) // 2, 2), "<u2")
        wide[:, 1] = np.frombuffer(raw, "<u2")
        flat = wide.reshape(-1).view("<f4")
    else:
        flat = np.frombuffer(raw, "bool" if dtype == "BOOL" else f"<{dtype[0].lower()}{WIDTHS[dtype]}")
    values = np.empty(entry["shape"], flat.dtype)
    values.flat = flat
    return values if entry["shape"] else values[()]


def validate(path):
    with File(path) as file:
        check(file)


def check(file):
    header = parse(file.text)
    if file.text[:1] != b"{" or file.start % 8 != 0:
        raise ValueError("layout")
    ends, empty = {}, []
    for name, entry in header.items():
        if name == "__metadata__":
            if not isinstance(entry, dict) or {type(value) for value in entry.values()} - {str}:
                raise ValueError("metadata")
            continue
        match entry:
            case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [begin, end]} if len(entry) == 3 and dtype in WIDTHS:
                if any(type(number) is not int or number < 0 for number in [*shape, begin, end]):
                    raise ValueError("numbers")
                if end - begin != WIDTHS[dtype] * math.prod(shape):
                    raise ValueError("size")
                if begin == end:
                    empty.append(begin)
                elif ends.setdefault(begin, (name, end)) != (name, end):
                    raise ValueError("overlap")
            case _:
                raise ValueError("entry")
    at, joints = 0, {0}
    while at in ends:
        at = ends.pop(at)[1]
        joints.add(at)
    if ends or set(empty) - joints or at != file.size - file.start:
        raise ValueError("cover")
