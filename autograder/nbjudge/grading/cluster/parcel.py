"""What goes out to workers, as bytes: JSON and blobs, in which tuples, mappings, bytes and a few of
our data classes keep their types.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from nbjudge import wire

MAX_DEPTH = 1000


def pack(value: object) -> bytes:
    """The value as bytes. Raises TypeError for what is neither plain data nor of `_classes`."""
    blobs: dict[str, wire.Blob] = {}
    root = json.dumps(_encoded(value, blobs), allow_nan=False).encode()
    return wire.encode("parcel", {"root": root, **blobs})


def unpack(data: bytes) -> Any:
    """The value that `pack` was given. Raises wire.WireError."""
    (frame,) = wire.read(io.BytesIO(data), len(data))
    return _decoded(wire.safe_json(bytes(frame.blobs["root"]), MAX_DEPTH), frame.blobs)


def _classes() -> dict[str, type]:
    from nbjudge.contract import Case
    from nbjudge.grading.config.budget import Budget
    from nbjudge.grading.intake.intake import Submission
    from nbjudge.grading.reference.references import Prepared
    from nbjudge.grading.submission.task import Task

    return {one.__name__: one for one in (Task, Submission, Prepared, Case, Budget)}


def _encoded(value: object, blobs: dict[str, wire.Blob]) -> object:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, wire.Blob):
        name = str(len(blobs))
        blobs[name] = value
        return {"bytes": name}
    if isinstance(value, list):
        return [_encoded(item, blobs) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_encoded(item, blobs) for item in value]}
    if isinstance(value, Mapping):
        return {
            "map": [[_encoded(key, blobs), _encoded(item, blobs)] for key, item in value.items()]
        }
    if is_dataclass(value) and _classes().get(type(value).__name__) is type(value):
        parts = {one.name: _encoded(getattr(value, one.name), blobs) for one in fields(value)}
        return {"class": type(value).__name__, "fields": parts}
    raise TypeError(f"{type(value).__name__} cannot be sent to a worker")


def _decoded(value: Any, blobs: Mapping[str, wire.Blob]) -> Any:
    if isinstance(value, list):
        return [_decoded(item, blobs) for item in value]
    if not isinstance(value, dict):
        return value
    if "bytes" in value:
        return blobs[value["bytes"]]
    if "tuple" in value:
        return tuple(_decoded(item, blobs) for item in value["tuple"])
    if "map" in value:
        return {_decoded(key, blobs): _decoded(item, blobs) for key, item in value["map"]}
    return _classes()[value["class"]](
        **{name: _decoded(item, blobs) for name, item in value["fields"].items()}
    )
