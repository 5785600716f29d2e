"""How much would parsing a file build? The wire format of Protocol Buffers, walked without building
anything, so that a bomb is refused before any memory is spent on it.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from onnx import ModelProto, TensorProto

Buffer = bytes | mmap.mmap
# A field costs parsing far more memory than its few bytes. A large language model has half a
# million of them.
MAX_FIELDS = 3_000_000
# What is not the numbers of a weight: packed lists grow by a factor of 8.
MAX_STRUCTURE = 1 << 28
MAX_DEPTH = 90
VARINT = 0
FIXED64 = 1
LENGTH = 2
FIXED32 = 5
# Numbers of weights, which take as much memory as they take bytes, or little more.
NUMBERS = frozenset(
    TensorProto.DESCRIPTOR.fields_by_name[name].number
    for name in ("raw_data", "float_data", "double_data", "int32_data")
)


class Malformed(ValueError):
    """The bytes are not those of a model. The text says why, as the end of a sentence."""


@dataclass
class _Walk:
    data: Buffer
    fields: int = 0
    structure: int = 0


def measure(data: Buffer) -> None:
    """Raise Malformed unless `data` is a ModelProto that is whole, and small enough to be parsed."""
    if not len(data):
        raise Malformed("is empty")
    _message(_Walk(data), 0, len(data), ModelProto.DESCRIPTOR, 0)


def _message(walk: _Walk, at: int, end: int, kind: Descriptor, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise Malformed("is nested deeper than any reader follows")
    by_number = kind.fields_by_number
    is_tensor = kind is TensorProto.DESCRIPTOR
    while at < end:
        walk.fields += 1
        if walk.fields > MAX_FIELDS:
            raise Malformed(f"has more than {MAX_FIELDS:,} fields, far more than any model")
        tag, at = _varint(walk.data, at, end)
        number = tag >> 3
        form = tag & 7
        if form == VARINT:
            _, at = _varint(walk.data, at, end)
        elif form in (FIXED32, FIXED64):
            at += 4 if form == FIXED32 else 8
        elif form == LENGTH:
            length, at = _varint(walk.data, at, end)
            if at + length > end:
                raise Malformed("is cut off, or no ONNX model: it announces more bytes than it has")
            kind = by_number.get(number)
            at = _content(walk, at, at + length, kind, depth=depth, is_tensor=is_tensor)
        else:
            raise Malformed("is no ONNX model: its bytes are none of Protocol Buffers")
    if at > end:
        raise Malformed("is cut off: its last field is not whole")


def _content(
    walk: _Walk,
    at: int,
    end: int,
    field: FieldDescriptor | None,
    *,
    depth: int,
    is_tensor: bool,
) -> int:
    if field is not None and field.message_type is not None:
        _message(walk, at, end, field.message_type, depth + 1)
    elif not (is_tensor and field is not None and field.number in NUMBERS):
        walk.structure += end - at
        if walk.structure > MAX_STRUCTURE:
            raise Malformed(
                f"has more than {MAX_STRUCTURE >> 20} MiB that are not numbers of weights"
            )
    return end


def _varint(data: Buffer, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise Malformed("is cut off, or no ONNX model: a number in it does not end")
