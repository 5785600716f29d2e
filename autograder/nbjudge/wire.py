"""What crosses a box's wall: frames of one JSON header and named byte blobs, read with caps on
everything.

A frame is the magic `AGF1`, the header's length (u32, little endian), the header as UTF-8 JSON,
then the blobs, one after the other, in the order and with the lengths that the header's `blobs`
object gives.
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NoReturn, TypeGuard, cast

MAGIC = b"AGF1"
MAX_HEADER = 8 << 20
MAX_DEPTH = 64
# JSON that one call of a student's function may answer. Rungs read it again and again, and megabytes of
# brackets would take the checker minutes.
MAX_ANSWER = 1 << 20
# A blob over this size may wait in a file, and goes through memory in pieces of this size.
PIECE = 1 << 20
# A string (to its end or the text's), or a bracket outside strings. Possessive, so that hostile
# text costs linear time.
_STRUCTURE = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


class WireError(ValueError):
    """The bytes are not what the protocol allows: too long, too deep, or not frames at all."""


class Truncated(WireError):
    """The stream ends inside a frame: whoever wrote it was cut off."""


class Store:
    """One file without a name for many large blobs. It is gone when nobody holds it or a blob in
    it.
    """

    def __init__(self) -> None:
        self._file: BinaryIO | None = None  # made for the first large blob
        self._end = 0

    def keep(self, size: int, parts: Iterator[bytes]) -> Blob:
        """A blob of about that size, in memory if it is small."""
        if size <= PIECE:
            return b"".join(parts)
        if self._file is None:
            # On a disk: where /tmp is a file system in memory, /var/tmp is not.
            folder = "/var/tmp" if os.path.isdir("/var/tmp") else None
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        start = self._end
        for part in parts:
            self._file.write(part)
            self._end += len(part)
        self._file.flush()
        return Kept(self, start, self._end - start)

    def parts(self, start: int, size: int) -> Iterator[bytes]:
        """The bytes of a blob that was kept here, in pieces. Raises ValueError where none was."""
        file = self._file
        if file is None:
            raise ValueError("nothing was kept in this store")
        for place in range(start, start + size, PIECE):
            yield os.pread(file.fileno(), min(PIECE, start + size - place), place)


class Kept:
    """A large blob that waits in a store instead of in memory. A process that it is sent to gets
    plain bytes.
    """

    def __init__(self, store: Store, start: int, size: int):
        self._store = store
        self._start = start
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __bytes__(self) -> bytes:
        return b"".join(self.parts())

    def __reduce__(self) -> tuple[Any, ...]:
        return bytes, (bytes(self),)

    def parts(self) -> Iterator[bytes]:
        return self._store.parts(self._start, self._size)


Blob = bytes | Kept


def parts_of(blob: Blob) -> Iterator[bytes]:
    """The blob in pieces, none of them large unless the blob is in memory anyway."""
    return blob.parts() if isinstance(blob, Kept) else iter((blob,))


def passed_on(blobs: Mapping[str, Blob]) -> dict[str, bytes]:
    """Blobs that nobody here looks into, as the plain bytes that they are where they arrive."""
    return cast("dict[str, bytes]", dict(blobs))


@dataclass(frozen=True)
class Frame:
    header: dict[str, Any]
    blobs: dict[str, Blob] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        kind: str = self.header["kind"]
        return kind

    @property
    def files(self) -> dict[str, bytes]:
        """The blobs, all of them in memory."""
        return {name: bytes(blob) for name, blob in self.blobs.items()}


def encode(kind: str, blobs: Mapping[str, Blob] | None = None, /, **header: object) -> bytes:
    """One frame as bytes; `header` must be JSON-serialisable."""
    return b"".join(pieces(kind, blobs, **header))


def pieces(
    kind: str, blobs: Mapping[str, Blob] | None = None, /, **header: object
) -> Iterator[bytes]:
    """One frame, piece by piece, so that a large blob is never in memory as a whole."""
    blobs = blobs or {}
    fields = {"kind": kind, **header, "blobs": {name: len(data) for name, data in blobs.items()}}
    text = json.dumps(fields, separators=(",", ":"), allow_nan=False).encode()
    if len(text) > MAX_HEADER:
        raise WireError(f"a frame's header of {len(text)} bytes is over the limit of {MAX_HEADER}")
    yield b"".join([MAGIC, struct.pack("<I", len(text)), text])
    for blob in blobs.values():
        yield from parts_of(blob)


def read(stream: BinaryIO, max_bytes: int, store: Store | None = None) -> Iterator[Frame]:
    """Frames from a stream until its end; `max_bytes` bounds all of them together. Large blobs go
    into `store`.

    Raises WireError on anything malformed, after having yielded the whole frames before it.
    """
    left = max_bytes
    while (length := _header_length(stream)) is not None:
        left -= 8 + length
        if length > MAX_HEADER or left < 0:
            raise WireError("a frame's header is over the limit")
        header, sizes = _header(_exactly(stream, length))
        left -= sum(sizes.values())
        if left < 0:
            raise WireError(f"the stream is over the limit of {max_bytes} bytes")
        yield Frame(header, {name: _blob(stream, size, store) for name, size in sizes.items()})


def _header_length(stream: BinaryIO) -> int | None:
    """The length that the next frame begins with; None where the stream ends."""
    start = stream.read(8)
    if not start:
        return None
    if len(start) < 8 and MAGIC.startswith(start[:4]):
        raise Truncated("the stream ends inside a frame")
    if start[:4] != MAGIC:
        raise WireError("the stream does not hold frames")
    return int.from_bytes(start[4:], "little")


def _header(text: bytes) -> tuple[dict[str, Any], dict[str, int]]:
    """A frame's header, and the sizes of its blobs, by name."""
    header = safe_json(text)
    if isinstance(header, dict):
        sizes = header.pop("blobs", {})
        if _are_sizes(sizes) and isinstance(header.get("kind"), str):
            return header, sizes
    raise WireError("a frame's header lacks its kind or the sizes of its blobs")


def _blob(stream: BinaryIO, size: int, store: Store | None) -> Blob:
    parts = _parts(stream, size)
    return store.keep(size, parts) if store else b"".join(parts)


def safe_json(data: bytes, max_depth: int = MAX_DEPTH, max_bytes: int | None = None) -> object:
    """`json.loads` for hostile bytes: nesting is bounded by a linear scan before the parser sees
    them.

    Raises WireError when the text is too long, too deep, not UTF-8 or not JSON. NaN, Infinity and every
    number beyond a float are refused, so that whoever asks for a number gets one that can be
    computed with.
    """
    if max_bytes is not None and len(data) > max_bytes:
        raise WireError(f"JSON of {len(data)} bytes is over the limit of {max_bytes}")
    _refuse_depth(data, max_depth)
    try:
        text = data.decode("utf-8")
        return json.loads(text, parse_constant=_refuse_constant, parse_float=_float, parse_int=_int)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not valid JSON: {error}") from None


def _refuse_depth(data: bytes, most: int) -> None:
    depth = 0
    for token in _STRUCTURE.finditer(data):
        mark = token.group()[0]
        depth += (mark in b"[{") - (mark in b"]}")
        if depth > most:
            raise WireError(f"JSON nested deeper than {most} levels")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number is too large")
    return value


def _int(text: str) -> int:
    _float(text)
    return int(text)


def _are_sizes(sizes: object) -> TypeGuard[dict[str, int]]:
    return isinstance(sizes, dict) and all(
        type(size) is int and size >= 0 for size in sizes.values()
    )


def _exactly(stream: BinaryIO, size: int) -> bytes:
    return b"".join(_parts(stream, size))


def _parts(stream: BinaryIO, size: int) -> Iterator[bytes]:
    while size:
        part = stream.read(min(size, PIECE))
        if not part:
            raise Truncated("the stream ends inside a frame")
        yield part
        size -= len(part)
