"""Corruptions of files: of bytes, of JSON trees, of protobuf messages. Each is three whole numbers,
so it crosses a pipe and shrinks.
"""

from __future__ import annotations

import codecs
import json
import os
import struct
from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from onnx import ModelProto

Edit = tuple[int, int, int]  # kind, place, value
# FUZZ_SEED=7 chooses other corruptions.
SEED = int(os.environ.get("FUZZ_SEED", "0"))

NUMBERS = (
    0,
    1,
    -1,
    2,
    7,
    127,
    255,
    256,
    2**31 - 1,
    -(2**31),
    2**31,
    2**32,
    2**62,
    2**63 - 1,
    -(2**63),
)
FLOATS = (0.0, -0.0, 1.0, -1.5, 1e308, 1e-308, float("inf"), float("-inf"), float("nan"))
TEXTS = (
    "",
    "a",
    "../../etc/passwd",
    "/dev/zero",
    "\0",
    "\ud800",
    "\x1b[2J",
    "\u202e",
    "x" * 5000,
    "ünï",
    "check-inspect",
    "4.0",
    "Loop",
    "If",
    "é" * 70,
    "i4,(2",
)
ODD = (
    None,
    True,
    False,
    [],
    {},
    [[[]]],
    {"a": None},
    {"names": ["a"], "formats": ["i4"], "offsets": [10**30]},
    *NUMBERS,
    *FLOATS,
    2**64,
    10**30,
    10**400,
    *TEXTS,
)
SPLICES = (
    b"",
    b"\0",
    b"\xff" * 9,
    b"[" * 300,
    b'{"a":' * 300,
    b"}",
    b"]",
    b'"',
    b"\\u",
    b"NaN",
    b"1e999",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\r\n",
    b"\x1b",
)
ENCODINGS = ("utf-16", "utf-16-be", "utf-32", "utf-7", "cp500", "latin-1", "utf-8-sig")


def of_bytes(data: bytes, edit: Edit) -> bytes:
    """One corruption that knows nothing of a format."""
    kind, place, value = edit
    at = place % (len(data) + 1)
    match kind % 9:
        case 0:
            return data[:at]
        case 1:
            return data[:at] + bytes([value % 256]) + data[at + 1 :]
        case 2:
            return data[:at] + SPLICES[value % len(SPLICES)] + data[at:]
        case 3:
            return data[:at] + data[at + 1 + value % 64 :]
        case 4:
            return data[:at] + data[at : at + 1 + value % 4096] * (2 + value % 40) + data[at:]
        case 5:
            return data[:at] + struct.pack("<q", NUMBERS[value % len(NUMBERS)]) + data[at + 8 :]
        case 6:
            return data[at:] + data[:at]
        case 7:
            return _encoded(data, ENCODINGS[value % len(ENCODINGS)])
        case _:
            return bytes(
                byte ^ (1 << value % 8) if number % 997 == at % 997 else byte
                for number, byte in enumerate(data)
            )


def of_json(data: bytes, edit: Edit) -> bytes:
    """One place of a JSON text gets another value, another name, goes, or is there many times."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return of_bytes(data, edit)
    kind, place, value = edit
    places = list(_places(tree))
    if not places:
        return of_bytes(data, edit)
    holder, key = places[place % len(places)]
    match kind % 6:
        case 0 | 1:
            holder[key] = ODD[value % len(ODD)]
        case 2:
            del holder[key]
        case 3:
            other, other_key = places[value % len(places)]
            holder[key] = (
                json.loads(json.dumps(other[other_key])) if other_key in _keys(other) else None
            )
        case 4:
            holder[key] = [holder[key]] * (value % 300)
        case _:
            if isinstance(holder, dict):
                holder[TEXTS[value % len(TEXTS)]] = holder.pop(key)
            else:
                holder.insert(key, json.loads(json.dumps(holder[key])))
    return json.dumps(tree).encode()


def of_model(data: bytes, edit: Edit) -> bytes:
    """One field of some message of an ONNX model."""
    try:
        model = ModelProto.FromString(data)
    except DecodeError:
        return of_bytes(data, edit)
    kind, place, value = edit
    fields = list(_fields(model))
    if not fields:
        return of_bytes(data, edit)
    message, field = fields[place % len(fields)]
    _change(message, field, kind, value)
    try:
        return model.SerializeToString()
    except (ValueError, DecodeError):  # too large for a message
        return of_bytes(data, edit)


def of_safetensors(data: bytes, edit: Edit) -> bytes:
    """The header as JSON, its length, or what is behind it."""
    kind, place, value = edit
    length = int.from_bytes(data[:8], "little")
    if kind % 4 == 0 or not 2 <= length <= len(data) - 8:
        return of_bytes(data, (kind // 4, place, value))
    header = of_json(data[8 : 8 + length], (kind // 4, place, value))
    told = NUMBERS[value % len(NUMBERS)] if kind % 4 == 1 else len(header)
    return struct.pack("<q", told) + header + data[8 + length :]


def of_file(name: str, data: bytes, edits: list[Edit]) -> bytes:
    """The corruptions that fit a file of that name, one after the other; one in three knows nothing
    of its format.
    """
    known = {
        "onnx": of_model,
        "safetensors": of_safetensors,
        "json": of_json,
        "ipynb": of_json,
    }.get(name.rpartition(".")[2], of_bytes)
    for edit in edits:
        data = (of_bytes if edit[0] % 3 == 0 else known)(data, (edit[0] // 3, *edit[1:]))
        if len(data) > 1 << 22:
            return data[: 1 << 22]
    return data


def _encoded(data: bytes, encoding: str) -> bytes:
    try:
        return codecs.encode(data.decode(), encoding)
    except (ValueError, LookupError):
        return data[::-1]


def _keys(holder: dict | list) -> Any:
    return holder.keys() if isinstance(holder, dict) else range(len(holder))


def _places(tree: object) -> Iterator[tuple[Any, Any]]:
    if isinstance(tree, (dict, list)):
        for key in list(_keys(tree)):
            yield tree, key
            yield from _places(tree[key])


def _fields(message: Message) -> Iterator[tuple[Message, FieldDescriptor]]:
    """Every field that is set, anywhere, and of each message one that is not."""
    listed = message.ListFields()
    for field, value in listed:
        yield message, field
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in value if field.is_repeated else (value,):
                yield from _fields(inner)
    absent = [
        field for field in message.DESCRIPTOR.fields if field not in [field for field, _ in listed]
    ]
    yield from ((message, field) for field in absent[:2])


def _change(message: Message, field: FieldDescriptor, kind: int, value: int) -> None:
    if kind % 5 == 0:
        message.ClearField(field.name)
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        _change_message(message, field, kind, value)
    elif field.is_repeated:
        values = getattr(message, field.name)
        new = _scalar(field, value)
        if kind % 5 == 1 or not values:
            values.append(new)
        elif kind % 5 == 2:
            values.extend([new] * (value % 2000))
        else:
            values[value % len(values)] = new
    else:
        setattr(message, field.name, _scalar(field, value))


def _change_message(message: Message, field: FieldDescriptor, kind: int, value: int) -> None:
    if not field.is_repeated:
        getattr(message, field.name).SetInParent()
        return
    values = getattr(message, field.name)
    if not values or kind % 5 == 1:
        values.add()
    elif kind % 5 == 2:
        copies = [values[value % len(values)]] * (1 + value % 50)
        values.extend(copies)
    elif kind % 5 == 3:
        del values[value % len(values)]
    else:
        values[0].CopyFrom(values[value % len(values)])


def _scalar(field: FieldDescriptor, value: int) -> object:
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING:
            text = TEXTS[value % len(TEXTS)]
            return (
                text.encode(errors="replace")
                if field.type == FieldDescriptor.TYPE_BYTES
                else text.replace("\ud800", "?")
            )
        case FieldDescriptor.CPPTYPE_FLOAT | FieldDescriptor.CPPTYPE_DOUBLE:
            number = FLOATS[value % len(FLOATS)]
            return (
                number
                if field.cpp_type == FieldDescriptor.CPPTYPE_DOUBLE or abs(number) < 1e38
                else float("inf")
            )
        case FieldDescriptor.CPPTYPE_INT64:
            return NUMBERS[value % len(NUMBERS)]
        case FieldDescriptor.CPPTYPE_ENUM:
            return value % 40
        case _:
            return NUMBERS[value % len(NUMBERS)] % 2**31
