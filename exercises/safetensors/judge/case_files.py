"""SafeTensors files for the exercise `safetensors`: valid ones, and ones with one fault each, all
made from a random generator.
"""

from __future__ import annotations

import json
import math
import pickle
import struct
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from formatlab_exercises.safetensors.ask import MARKER

SIZES = {
    "BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
    "U32": 4, "I32": 4, "F32": 4, "C64": 8, "U64": 8, "I64": 8, "F64": 8,
}  # fmt: skip
# Without those that have no dtype in numpy.
NUMPY = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "F16": "<f2", "U32": "<u4", "I32": "<i4",
    "F32": "<f4", "C64": "<c8", "U64": "<u8", "I64": "<i8", "F64": "<f8",
}  # fmt: skip
PAYLOAD = f"import builtins; builtins.{MARKER} = True"
DEEP = 20_000
CLAIMED = 60_000_000
MOST = 100_000_000


class Tensor(NamedTuple):
    """One tensor as a file stores it."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


class File(NamedTuple):
    """A file's bytes and its fault, which is a key of `case_faults.FAULTS`, or None for a valid
    file, whose `kind` is a key of `VALID`.
    """

    data: bytes
    fault: str | None = None
    kind: str = ""


class Parts(NamedTuple):
    """A valid file taken apart, for a fault to be put in."""

    header: dict[str, dict]
    data: bytes

    def entry(self, place: int) -> dict:
        """The entry whose data come at that place in the buffer; -1 is the last."""
        return sorted(self.header.values(), key=lambda entry: entry["data_offsets"])[place]


def frame(header: object, data: bytes = b"", padding: int = 0) -> bytes:
    """A file: the header's length, the header (made JSON unless it is bytes), spaces to a multiple
    of 8 and `padding` more, the data.
    """
    text = (
        header
        if isinstance(header, bytes)
        else json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    )
    text += b" " * (-len(text) % 8 + padding)
    return struct.pack("<Q", len(text)) + text + data


def tensor(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Tensor:
    """Random values; floats with a negative zero, infinities, a NaN and a subnormal number among
    them where there is room.
    """
    count = math.prod(shape)
    if dtype in ("F16", "F32", "F64", "BF16"):
        values = rng.normal(size=count) * 10.0 ** rng.integers(-2, 3, count)
        special = [-0.0, np.inf, -np.inf, np.nan, 1e-40]
        values[: min(len(special), count // 2)] = special[: count // 2]
        if dtype == "BF16":
            data = (values.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
        else:
            data = values.astype(NUMPY[dtype]).tobytes()
    elif dtype == "BOOL":
        data = rng.integers(0, 2, count, np.uint8).tobytes()
    elif dtype == "C64":
        data = rng.normal(size=2 * count).astype("<f4").tobytes()
    else:
        data = rng.bytes(count * SIZES[dtype])
    return Tensor(dtype, shape, data)


def parts(tensors: Mapping[str, Tensor], rng: np.random.Generator) -> Parts:
    """The tensors one after the other in random order, and a header that lists them in another one."""
    header, data = {}, b""
    for name in rng.permutation(sorted(tensors)):
        dtype, shape, raw = tensors[name]
        header[str(name)] = {
            "dtype": dtype,
            "shape": list(shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    return Parts({str(name): header[str(name)] for name in rng.permutation(sorted(header))}, data)


def shape(rng: np.random.Generator) -> tuple[int, ...]:
    """Two different dimensions, none of them 1, so that no mistake about order goes unseen."""
    return tuple(int(dim) for dim in rng.choice(np.arange(2, 9), 2, replace=False))


def names(rng: np.random.Generator, count: int) -> list[str]:
    return [
        f"layer.{index}.{part}"
        for index, part in enumerate(rng.choice(["weight", "bias", "scale", "running_mean"], count))
    ]


def some(
    rng: np.random.Generator, dtypes: tuple[str, ...] = ("F32", "I64", "U8")
) -> dict[str, Tensor]:
    """One tensor of each dtype, none of them empty."""
    return {
        name: tensor(rng, dtype, shape(rng))
        for name, dtype in zip(names(rng, len(dtypes)), dtypes, strict=True)
    }


def write(
    tensors: Mapping[str, Tensor],
    rng: np.random.Generator,
    metadata: object = None,
    padding: int = 0,
) -> bytes:
    """A valid file."""
    header, data = parts(tensors, rng)
    return frame(
        header if metadata is None else {"__metadata__": metadata, **header}, data, padding
    )


def _metadata(rng: np.random.Generator) -> dict[str, str]:
    return {"format": "pt", "step": str(rng.integers(1000)), "note": "größer als sonst"}


def _empties(rng: np.random.Generator) -> dict[str, Tensor]:
    empty = {
        "none": Tensor("F32", (0,), b""),
        "no_rows": Tensor("I16", (0, 3), b""),
        "no_columns": Tensor("F64", (4, 0), b""),
    }
    return {**some(rng), **empty, "scalar": tensor(rng, "F64", ())}


def _in_lines(rng: np.random.Generator) -> bytes:
    """JSON in lines, with tabs, and line ends behind it."""
    header, data = parts(some(rng), rng)
    text = json.dumps(header, indent="\t").encode()
    return frame(text + b"\n" * (-len(text) % 8), data)


VALID: dict[str, Callable[[np.random.Generator], bytes]] = {
    "plain": lambda rng: write(some(rng), rng),
    "metadata": lambda rng: write(some(rng), rng, _metadata(rng)),
    "dtypes": lambda rng: write(
        {dtype.lower(): tensor(rng, dtype, shape(rng)) for dtype in SIZES}, rng
    ),
    "empties": lambda rng: write(_empties(rng), rng),
    "nothing": lambda rng: frame({}),
    "only_metadata": lambda rng: frame({"__metadata__": _metadata(rng)}),
    "unicode": lambda rng: write(
        {f"слой/{name}": made for name, made in some(rng).items()}, rng, {"π": '\\u03c0 " { } [ ]'}
    ),
    "many": lambda rng: write(some(rng, tuple(rng.choice(list(SIZES), 60))), rng),
    "padding": lambda rng: write(some(rng), rng, padding=8 * int(rng.integers(1, 9))),
    "empty_metadata": lambda rng: write(some(rng), rng, {}),
    "whitespace": lambda rng: _in_lines(rng),
    "no_name": lambda rng: write({"": tensor(rng, "F32", shape(rng)), **some(rng)}, rng),
    "largest_dimension": lambda rng: write(
        {"none": Tensor("F32", (0, 2**64 - 1), b""), **some(rng)}, rng
    ),
    "many_dimensions": lambda rng: write({"deep": tensor(rng, "I8", (1, 2) * 6), **some(rng)}, rng),
}


def code_in_json() -> bytes:
    """Not JSON, but an expression that Python would evaluate."""
    return frame(f'{{"weight": exec({PAYLOAD!r})}}'.encode())


class _Payload:
    def __reduce__(self):
        return exec, (PAYLOAD,)


def pickled() -> bytes:
    """A pickle that runs code when it is loaded."""
    return pickle.dumps({"weight": _Payload()}, protocol=2)
