"""How a SafeTensors file is made wrong: functions that make one out of random parts."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from formatlab_exercises.safetensors.judge import case_files
from formatlab_exercises.safetensors.judge.case_files import Parts, frame
from nbjudge.findings import Misconception

Build = Callable[[np.random.Generator], bytes]


class Fault(NamedTuple):
    """`build` makes a file with it, `words` say what is wrong with that file, `cause` why a reader
    lets it pass, `anchor` where to read. A file with a `size` is filled up to it with zero bytes
    where it is written.
    """

    build: Build
    words: str
    cause: str | Misconception
    anchor: str
    size: int = 0


def changed(change: Callable[[Parts, np.random.Generator], bytes | None]) -> Build:
    """A valid file after `change`, which edits the parts in place or returns other bytes."""

    def build(rng: np.random.Generator) -> bytes:
        made = case_files.parts(case_files.some(rng), rng)
        changed = change(made, rng)
        return frame(made.header, made.data) if changed is None else changed

    return build


def entry_with(place: int, **values: object) -> Build:
    """Other values in one entry; a value may be a function of the entry, and None takes the field
    out.
    """

    def change(made: Parts, rng: np.random.Generator) -> None:
        entry = made.entry(place)
        for key, value in values.items():
            if value is None:
                del entry[key]
            else:
                entry[key] = value(dict(entry)) if callable(value) else value

    return changed(change)


def header_text(change: Callable[[str], str | bytes]) -> Build:
    """Another text in place of the header."""

    def build(made: Parts, rng: np.random.Generator) -> bytes:
        text = change(json.dumps(made.header, separators=(",", ":")))
        return frame(text if isinstance(text, bytes) else text.encode(), made.data)

    return changed(build)


def metadata(value: object) -> Build:
    return changed(lambda made, rng: frame({"__metadata__": value, **made.header}, made.data))


def claims(length: int) -> Build:
    return changed(lambda made, rng: struct.pack("<Q", length) + frame(made.header, made.data)[8:])


def high_length(made: Parts, rng: np.random.Generator) -> bytes:
    """Whoever reads the lower four bytes alone finds the header."""
    data = frame(made.header, made.data)
    return data[:4] + struct.pack("<I", int(rng.integers(1, 99))) + data[8:]


def cut_in_header(made: Parts, rng: np.random.Generator) -> bytes:
    """Inside its JSON: without some of the spaces behind it, the rest would still be JSON."""
    data = frame(made.header)
    return data[: int(rng.integers(12, len(data.rstrip())))]


def cut_in_padding(made: Parts, rng: np.random.Generator) -> bytes:
    """What is left is still JSON, but shorter than the header's length says."""
    return frame({}, padding=8)[: -int(rng.integers(1, 8))]


def _move(made: Parts, place: int, distance: int) -> None:
    entry = made.entry(place)
    entry["data_offsets"] = [at + distance for at in entry["data_offsets"]]


def hole(made: Parts, rng: np.random.Generator) -> bytes:
    start = made.entry(-1)["data_offsets"][0]
    _move(made, -1, 8)
    return frame(made.header, made.data[:start] + bytes(8) + made.data[start:])


def gap_at_start(made: Parts, rng: np.random.Generator) -> bytes:
    for place in (2, 1, 0):
        _move(made, place, 8)
    return frame(made.header, bytes(8) + made.data)


def overlap(made: Parts, rng: np.random.Generator) -> bytes:
    _move(made, -1, -4)
    return frame(made.header, made.data[:-4])


def overlap_and_hole(made: Parts, rng: np.random.Generator) -> None:
    """The sizes still add up to the length of the buffer."""
    _move(made, 1, -4)


def twice(made: Parts, rng: np.random.Generator) -> bytes:
    name = min(made.header)
    text = json.dumps(made.header, separators=(",", ":"))
    return frame(
        f"{text[:-1]},{json.dumps(name)}:{json.dumps(made.header[name])}}}".encode(), made.data
    )


def list_entry(made: Parts, rng: np.random.Generator) -> bytes:
    return frame({**made.header, "more": ["F32", [0], [0, 0]]}, made.data)


def unpadded(made: Parts, rng: np.random.Generator) -> bytes:
    text = json.dumps(made.header, separators=(",", ":")).encode()
    text += b" " * ((int(rng.integers(1, 8)) - len(text)) % 8)
    return struct.pack("<Q", len(text)) + text + made.data


def deep(made: Parts, rng: np.random.Generator) -> bytes:
    return frame(b'{"a":' + b"[" * case_files.DEEP + b"]" * case_files.DEEP + b"}")
