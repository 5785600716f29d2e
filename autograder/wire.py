"""What crosses a box's wall: frames of one JSON header and named byte blobs, read with caps on everything.

A frame is the magic `AGF1`, the header's length (u32, little endian), the header as UTF-8 JSON, then the blobs, one after
the other, in the order and with the lengths that the header's `blobs` object gives.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

MAGIC = b"AGF1"
MAX_HEADER = 8 << 20
MAX_DEPTH = 64
# A string (to its end or the text's), or a bracket outside strings. Possessive, so that hostile text costs linear time.
_STRUCTURE = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


class WireError(ValueError):
    """The bytes are not what the protocol allows: too long, too deep, or not frames at all."""


class Truncated(WireError):
    """The stream ends inside a frame: whoever wrote it was cut off."""


@dataclass(frozen=True)
class Frame:
    header: dict
    blobs: dict[str, bytes] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        return self.header["kind"]


def encode(kind: str, blobs: dict[str, bytes] | None = None, /, **header) -> bytes:
    """One frame as bytes; `header` must be JSON-serialisable."""
    blobs = blobs or {}
    fields = {"kind": kind, **header, "blobs": {name: len(data) for name, data in blobs.items()}}
    text = json.dumps(fields, separators=(",", ":"), allow_nan=False).encode()
    if len(text) > MAX_HEADER:
        raise WireError(f"a frame's header of {len(text)} bytes is over the limit of {MAX_HEADER}")
    return b"".join([MAGIC, struct.pack("<I", len(text)), text, *blobs.values()])


def read(stream: BinaryIO, max_bytes: int) -> Iterator[Frame]:
    """Frames from a stream until its end; `max_bytes` bounds all of them together.

    Raises WireError on anything malformed, after having yielded the whole frames before it.
    """
    left = max_bytes
    while True:
        start = stream.read(8)
        if not start:
            return
        if len(start) < 8 and MAGIC.startswith(start[:4]):
            raise Truncated("the stream ends inside a frame")
        if start[:4] != MAGIC:
            raise WireError("the stream does not hold frames")
        length = struct.unpack("<I", start[4:])[0]
        left -= 8 + length
        if length > MAX_HEADER or left < 0:
            raise WireError("a frame's header is over the limit")
        header = safe_json(_exactly(stream, length))
        sizes = header.pop("blobs", {}) if isinstance(header, dict) else None
        if not isinstance(header, dict) or not isinstance(header.get("kind"), str) or not _are_sizes(sizes):
            raise WireError("a frame's header lacks its kind or the sizes of its blobs")
        left -= sum(sizes.values())
        if left < 0:
            raise WireError(f"the stream is over the limit of {max_bytes} bytes")
        yield Frame(header, {name: _exactly(stream, size) for name, size in sizes.items()})


def safe_json(data: bytes, max_depth: int = MAX_DEPTH) -> object:
    """`json.loads` for hostile bytes: nesting is bounded by a linear scan before the parser sees them.

    Raises WireError when the text is too deep, not UTF-8 or not JSON. NaN and Infinity are refused.
    """
    depth = 0
    for token in _STRUCTURE.finditer(data):
        mark = token.group()[0]
        depth += (mark in b"[{") - (mark in b"]}")
        if depth > max_depth:
            raise WireError(f"JSON nested deeper than {max_depth} levels")
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not valid JSON: {error}") from None


def _refuse_constant(name: str):
    raise ValueError(f"{name} is not JSON")


def _are_sizes(sizes: object) -> bool:
    return isinstance(sizes, dict) and all(type(size) is int and size >= 0 for size in sizes.values())


def _exactly(stream: BinaryIO, size: int) -> bytes:
    parts, left = [], size
    while left:
        part = stream.read(min(left, 1 << 20))
        if not part:
            raise Truncated("the stream ends inside a frame")
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
