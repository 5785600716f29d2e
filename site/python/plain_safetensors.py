"""What the course needs of `safetensors`, in Python and NumPy: the library has no build for Pyodide.

The course's own modules get it while they are imported, and nobody else: a student's `import
safetensors` finds nothing, as the page says, and not something that only looks like the library.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType

import numpy as np

DTYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "F16": "<f2", "U32": "<u4",
    "I32": "<i4", "F32": "<f4", "U64": "<u8", "I64": "<i8", "F64": "<f8", "C64": "<c8",
}  # fmt: skip
NAMES = {np.dtype(code): name for name, code in DTYPES.items()}


class SafetensorError(Exception):
    """The bytes are no file that `save` wrote."""


def save(tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None) -> bytes:
    """The arrays as a SafeTensors file."""
    header: dict[str, object] = {"__metadata__": dict(metadata)} if metadata else {}
    data = b""
    for name, array in tensors.items():
        dtype = NAMES[array.dtype.newbyteorder("<")]
        raw = array.astype(DTYPES[dtype]).tobytes()
        offsets = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": offsets}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def load(data: bytes) -> dict[str, np.ndarray]:
    """The arrays of a file. Raises SafetensorError."""
    try:
        start = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:start])
        return {
            name: _array(data, start, entry)
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise SafetensorError(str(error)) from None


def _array(data: bytes, start: int, entry: Mapping) -> np.ndarray:
    begin = entry["data_offsets"][0]
    count = math.prod(entry["shape"])
    flat = np.frombuffer(data, DTYPES[entry["dtype"]], count, start + begin)
    return flat.reshape(entry["shape"]).copy()


@contextmanager
def standing_in() -> Iterator[None]:
    """Within this, `import safetensors` finds this module."""
    library, arrays = ModuleType("safetensors"), ModuleType("safetensors.numpy")
    vars(library).update(SafetensorError=SafetensorError, safe_open=None, numpy=arrays)
    vars(arrays).update(save=save, load=load)
    modules = {"safetensors": library, "safetensors.numpy": arrays}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name in modules:
            del sys.modules[name]
