"""The numbers of a model where they lie: in the file, in a file beside it, in a Constant. They are
read when they are compared, in parts where they are many, and never both models' at once as a
whole.
"""

from __future__ import annotations

import errno
import hashlib
import math
import os
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from onnx import SparseTensorProto, TensorProto, helper, numpy_helper

from formatlab.diff.errors import CannotDiff
from formatlab.diff.words import plain, quoted

# Up to here all bytes make the fingerprint; of more, samples do. It only helps to find which weight
# is which: whether two are equal is always decided by all their bytes.
WHOLE = 1 << 20
SAMPLE = 1 << 16
PART = 1 << 22  # elements that are compared at a time
MAX_RANK = 64
MAX_EXTENTS = 10_000  # pieces of a file with holes
# Types of which several elements share a byte.
PACKED = {
    getattr(TensorProto, name): bits
    for name, bits in {
        "INT4": 4,
        "UINT4": 4,
        "FLOAT4E2M1": 4,
        "INT2": 2,
        "UINT2": 2,
    }.items()
    if hasattr(TensorProto, name)
}
# The most numbers that a sparse weight may stand for: a few bytes can announce any shape.
MAX_DENSE = 1 << 26


@dataclass(frozen=True)
class Outside:
    """Where a weight lies in another file."""

    path: Path
    offset: int
    length: int


@dataclass(eq=False)
class Weight:
    """A tensor of constants. `storage` is initializer, sparse, Constant, or external."""

    name: str
    proto: TensorProto
    storage: str
    _: KW_ONLY
    outside: Outside | None = None
    is_input: bool = False

    @property
    def dtype(self) -> int:
        return self.proto.data_type

    @cached_property
    def type_name(self) -> str:
        return TensorProto.DataType.Name(self.dtype)

    @cached_property
    def dims(self) -> tuple[int, ...]:
        return tuple(self.proto.dims)

    @cached_property
    def size(self) -> int:
        return math.prod(self.dims)

    @cached_property
    def identity(self) -> tuple[Hashable, ...]:
        """Equal for the same type, shape and bytes, and for nothing else: a digest of them all."""
        digest = hashlib.blake2b(digest_size=32)
        for part in self.parts():
            digest.update(_bytes(part))
        return (self.dtype, self.dims, digest.digest())

    @cached_property
    def fingerprint(self) -> tuple[Hashable, ...]:
        """Equal for equal numbers, nearly always different for others."""
        digest = hashlib.blake2b(digest_size=16)
        if self.size * 8 <= WHOLE or self.dtype == TensorProto.STRING:
            digest.update(_bytes(self.array()))
        else:
            flat = self.array().reshape(-1)
            step = max(1, SAMPLE // flat.itemsize)
            for start in np.linspace(0, flat.size - step, 4).astype(int):
                digest.update(_bytes(flat[start : start + step]))
        return (self.dtype, self.dims, digest.digest())

    def array(self) -> np.ndarray:
        """The numbers; those of another file are mapped, not read. Strings are the bytes that the
        file holds, which need not be text.
        """
        if self.dtype == TensorProto.STRING:
            strings = np.empty(len(self.proto.string_data), object)
            strings[:] = list(self.proto.string_data)
            return strings.reshape(self.dims)
        if self.outside is None:
            return numpy_helper.to_array(self.proto)
        if self.dtype in PACKED:
            whole = TensorProto()
            whole.CopyFrom(self.proto)
            whole.ClearField("external_data")
            whole.data_location = TensorProto.DEFAULT
            with self.outside.path.open("rb") as file:
                file.seek(self.outside.offset)
                whole.raw_data = file.read(self.outside.length)
            return numpy_helper.to_array(whole)
        dtype = helper.tensor_dtype_to_np_dtype(self.dtype)
        if not self.size:
            return np.zeros(self.dims, dtype)
        return np.memmap(
            self.outside.path, dtype, "r", self.outside.offset, self.dims or (1,)
        ).reshape(self.dims)

    def parts(self) -> Iterator[np.ndarray]:
        """The numbers in a row, some millions at a time."""
        flat = self.array().reshape(-1)
        for start in range(0, max(flat.size, 1), PART):
            yield flat[start : start + PART]

    def equals(self, other: Weight) -> bool:
        """The same type, shape and bytes. Where both are one place of one file, nothing is read."""
        if self is other or (self.dtype, self.dims) != (other.dtype, other.dims):
            return self is other
        if _is_one_place(self.outside, other.outside):
            return True
        return all(same_bytes(mine, theirs) for mine, theirs in common_parts(self, other))

    def written(self) -> list[tuple[int, int]] | None:
        """The elements that lie where the file has data on the disk, as (start, end) in order: all
        others are zeros that nobody wrote. None where that is not known.
        """
        if self.outside is None or self.dtype in PACKED or self.size * 8 <= WHOLE:
            return None
        width = helper.tensor_dtype_to_np_dtype(self.dtype).itemsize
        first = self.outside.offset
        found: list[tuple[int, int]] = []
        at = first
        try:
            with self.outside.path.open("rb") as file:
                while at < first + self.size * width and len(found) < MAX_EXTENTS:
                    start = os.lseek(file.fileno(), at, os.SEEK_DATA)
                    at = os.lseek(file.fileno(), start, os.SEEK_HOLE)
                    found.append(((start - first) // width, -((first - at) // width)))
        except (OSError, AttributeError) as problem:
            # ENXIO: no data from here to the end.
            if getattr(problem, "errno", None) != errno.ENXIO:
                return None
        return found if len(found) < MAX_EXTENTS else None


class Exact:
    """A weight as a key of a dictionary: equal to another one if all of their bytes are. They are only
    read where the fingerprints are equal.
    """

    def __init__(self, weight: Weight):
        self.weight = weight

    def __hash__(self) -> int:
        return hash(self.weight.fingerprint)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Exact)
            and self.weight.fingerprint == other.weight.fingerprint
            and self.weight.equals(other.weight)
        )


def common_parts(one: Weight, other: Weight) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The numbers of two weights of one size side by side, some millions at a time, without those that
    are holes of both files: a few kilobytes on the disk may stand for terabytes of zeros.
    """
    mine = one.array().reshape(-1)
    theirs = other.array().reshape(-1)
    first = one.written()
    second = other.written()
    if first is None or second is None:
        starts: Iterable[int] = range(0, max(mine.size, 1), PART)
    else:
        starts = sorted(
            {
                at * PART
                for start, end in (*first, *second)
                for at in range(max(start, 0) // PART, -(-min(end, mine.size) // PART))
            }
        )
    for start in starts:
        yield mine[start : start + PART], theirs[start : start + PART]


def _is_one_place(one: Outside | None, other: Outside | None) -> bool:
    if one is None or other is None or one.offset != other.offset:
        return False
    return one.path.samefile(other.path)


def same_bytes(one: np.ndarray, other: np.ndarray) -> bool:
    """Two arrays of one type, bit by bit: NaN equals itself, and 0 is not -0."""
    if one.dtype == object or other.dtype == object:
        return _bytes(one) == _bytes(other)
    return np.array_equal(_as_bytes(one), _as_bytes(other))


def _as_bytes(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8)


def _bytes(values: np.ndarray) -> bytes:
    if values.dtype == object:
        return b"".join(len(each).to_bytes(8, "little") + each for each in values.reshape(-1))
    return np.ascontiguousarray(values).tobytes()


def check_form(weight: Weight, where: str) -> None:
    """Raise CannotDiff unless there can be a weight of that type and shape."""
    dims = weight.dims
    name = quoted(weight.name)
    if len(dims) > MAX_RANK or any(dim < 0 for dim in dims):
        shown = plain(str(list(dims)))
        raise CannotDiff(f"{where}: the weight {name} has the impossible shape {shown}")
    if weight.dtype not in TensorProto.DataType.values() or weight.dtype == TensorProto.UNDEFINED:
        raise CannotDiff(f"{where}: the weight {name} is of the unknown type {weight.dtype}")


def check(weight: Weight, where: str) -> None:
    """Raise CannotDiff unless the weight's dims describe its data."""
    check_form(weight, where)
    dims = weight.dims
    name = quoted(weight.name)
    expected = expected_bytes(weight)
    found = _stored_bytes(weight)
    if found is not None and expected != found:
        raise CannotDiff(
            f"{where}: the weight {name} of shape {plain(str(list(dims)))} needs {expected} bytes and has {found}"
        )


def expected_bytes(weight: Weight) -> int:
    if bits := PACKED.get(weight.dtype):
        return math.ceil(weight.size * bits / 8)
    if weight.dtype == TensorProto.STRING:
        return weight.size
    return weight.size * helper.tensor_dtype_to_np_dtype(weight.dtype).itemsize


def _stored_bytes(weight: Weight) -> int | None:
    """How many bytes there are; of lists, as many as their elements would take."""
    if weight.outside is not None:
        return weight.outside.length
    if weight.proto.HasField("raw_data"):
        return len(weight.proto.raw_data)
    if weight.dtype == TensorProto.STRING:
        return len(weight.proto.string_data)
    # Numbers in the list of another type are not this tensor's: every reader leaves them.
    elements = len(getattr(weight.proto, helper.tensor_dtype_to_field(weight.dtype)))
    if weight.dtype in (TensorProto.COMPLEX64, TensorProto.COMPLEX128):
        elements //= 2
    if weight.dtype in PACKED:
        return elements
    return elements * helper.tensor_dtype_to_np_dtype(weight.dtype).itemsize


def dense(
    sparse: SparseTensorProto, values: Weight, indices: Weight, where: str, most: int = MAX_DENSE
) -> TensorProto:
    """The tensor that a sparse one stands for, under the name of its values. Raises CannotDiff, also
    for one of more than `most` numbers: what is left of MAX_DENSE after the weights before it.
    """
    dims = tuple(sparse.dims)
    name = quoted(values.name)
    shown = plain(str(list(dims)))
    if len(dims) > MAX_RANK or any(dim < 0 for dim in dims) or math.prod(dims) > most:
        raise CannotDiff(
            f"{where}: the sparse weight {name} has the shape {shown}, and the sparse weights of a "
            f"model may expand to {MAX_DENSE >> 20} million numbers at most in all"
        )
    number = values.size
    by_axis = indices.dims == (number, len(dims))
    if (
        indices.dtype != TensorProto.INT64
        or len(values.dims) != 1
        or not (by_axis or indices.dims == (number,))
    ):
        raise CannotDiff(
            f"{where}: the sparse weight {name} of shape {shown} needs one INT64 index for each of its {number} values, or one for each axis"
        )
    if values.dtype == TensorProto.STRING:
        raise CannotDiff(f"{where}: the sparse weight {name} holds strings, which ONNX forbids")
    at = indices.array()
    limits = np.array(dims if by_axis else math.prod(dims), np.int64)
    if ((at < 0) | (at >= limits)).any():
        raise CannotDiff(
            f"{where}: the sparse weight {name} has an index outside of its shape {shown}"
        )
    numbers = values.array()
    found = np.zeros(dims, numbers.dtype)
    if by_axis:
        found[tuple(at.T)] = numbers
    else:
        found.reshape(-1)[at] = numbers
    return numpy_helper.from_array(found, values.name)
