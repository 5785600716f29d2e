"""Exhibits whose file is broken, or the files beside it."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto

from formatlab.models.museum import healthy
from formatlab.models.museum.exhibit import MODEL, TENSORS, Files, Specimen, exhibit, sound

EXTERNAL = "external-data"


@exhibit(
    "truncated",
    "unreadable",
    "parse",
    "A download stopped before its end. Protocol Buffers stores no checksum, but it stores lengths: the graph is longer than what follows.",
    "Fetch the missing bytes.",
)
def truncated(rng: np.random.Generator) -> Specimen:
    _, files = sound(_any(rng), rng)
    data = files[MODEL]
    return _other_bytes(MODEL, files, data[: int(len(data) * rng.uniform(0.3, 0.9))])


@exhibit(
    "pointer",
    "unreadable",
    "parse",
    "A repository was cloned without its large files: where the model should be, Git LFS left a text that says where it is.",
    "Fetch the file that the text points to.",
)
def pointer(rng: np.random.Generator) -> Specimen:
    _, files = sound(_any(rng), rng)
    digest = hashlib.sha256(files[MODEL]).hexdigest()
    size = len(files[MODEL])
    text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {size}\n"
    return _other_bytes(MODEL, files, text.encode())


@exhibit(
    "header-too-long",
    "unreadable",
    "parse",
    "A SafeTensors file begins with the length of its header; this one says that the header is longer than the file.",
    "Write the true length.",
)
def header_too_long(rng: np.random.Generator) -> Specimen:
    data = tensor_file(rng)[0]
    return _other_bytes(
        TENSORS,
        {TENSORS: data},
        struct.pack("<Q", len(data) + int(rng.integers(1, 1000))) + data[8:],
    )


@exhibit(
    "overlap",
    "unreadable",
    "parse",
    "Two tensors claim the same bytes: a writer forgot to move on. A program that reads one tensor gets a part of the other.",
    "Let the second tensor begin where the first one ends.",
)
def overlap(rng: np.random.Generator) -> Specimen:
    data, header, body = tensor_file(rng)
    names = list(header)
    second = names[1]
    shift = 4 * int(rng.integers(1, 3))
    moved = {
        name: entry
        | {"data_offsets": [offset - shift * (at >= 1) for offset in entry["data_offsets"]]}
        for at, (name, entry) in enumerate(header.items())
    }
    assert moved[second]["data_offsets"][0] < header[names[0]]["data_offsets"][1]
    return _other_bytes(TENSORS, {TENSORS: data}, pack(moved, body[: len(body) - shift]))


@exhibit(
    "hole",
    "unreadable",
    "parse",
    "Between two tensors lie bytes that belong to none. The format forbids them: something could hide there, or was lost.",
    "Close the gap.",
)
def hole(rng: np.random.Generator) -> Specimen:
    data, header, body = tensor_file(rng)
    gap = 8 * int(rng.integers(1, 4))
    cut = next(iter(header.values()))["data_offsets"][1]
    moved = {
        name: entry
        | {"data_offsets": [offset + gap * (at >= 1) for offset in entry["data_offsets"]]}
        for at, (name, entry) in enumerate(header.items())
    }
    return _other_bytes(TENSORS, {TENSORS: data}, pack(moved, body[:cut] + bytes(gap) + body[cut:]))


@exhibit(
    "wrong-shape-in-header",
    "unreadable",
    "parse",
    "The header gives a tensor more elements than its bytes hold: the shape was edited and the data was not.",
    "Write the shape that the data has.",
)
def wrong_shape_in_header(rng: np.random.Generator) -> Specimen:
    data, header, body = tensor_file(rng)
    name = str(rng.choice(list(header)))
    grown = {
        **header,
        name: header[name] | {"shape": [header[name]["shape"][0] + 1, *header[name]["shape"][1:]]},
    }
    return _other_bytes(TENSORS, {TENSORS: data}, pack(grown, body))


@exhibit(
    "lost-data",
    EXTERNAL,
    "checker",
    "The .onnx file was moved alone. The weights are in a second file, as the default exporter writes them.",
    "Bring the data file along.",
)
def lost_data(rng: np.random.Generator) -> Specimen:
    files, location = with_external_data(_any(rng), rng)
    whole = dict(files)
    return Specimen(
        MODEL,
        {name: data for name, data in files.items() if name != f"export/{location}"},
        lambda _broken: whole,
    )


@exhibit(
    "data-outside",
    EXTERNAL,
    "checker",
    "The location of the weights leads out of the model's folder. A loader that follows it can open any file of the reader's machine.",
    "Put the data into the model's folder and name it there.",
)
def data_outside(rng: np.random.Generator) -> Specimen:
    files, location = with_external_data(_any(rng), rng)
    outside = {name: data for name, data in files.items() if name != f"export/{location}"} | {
        location: files[f"export/{location}"]
    }
    outside[MODEL] = _relocated(files[MODEL], f"../{location}")
    return Specimen(MODEL, outside, lambda _broken: files)


@exhibit(
    "absolute-location",
    EXTERNAL,
    "checker",
    "The location of the weights is an absolute path. It is right on one machine only, and on another it can point to any file.",
    "Name the file relative to the model.",
)
def absolute_location(rng: np.random.Generator) -> Specimen:
    files, location = with_external_data(_any(rng), rng)
    return Specimen(
        MODEL,
        files | {MODEL: _relocated(files[MODEL], f"/srv/models/{location}")},
        lambda _broken: files,
    )


@exhibit(
    "short-data",
    EXTERNAL,
    "session",
    "The data file is shorter than what the model reads from it. The checker asks whether the file exists, but not how long it is.",
    "Fetch the missing bytes.",
)
def short_data(rng: np.random.Generator) -> Specimen:
    files, location = with_external_data(_any(rng), rng)
    name = f"export/{location}"
    return Specimen(
        MODEL, files | {name: files[name][: len(files[name]) // 2]}, lambda _broken: files
    )


def tensor_file(rng: np.random.Generator) -> tuple[bytes, dict[str, Any], bytes]:
    """A healthy SafeTensors file of two to four float32 tensors, its header and its data."""
    header = {}
    at = 0
    part = str(rng.choice(["encoder", "block", "head", "layer"]))
    for number in range(rng.integers(2, 5)):
        shape = [int(size) for size in rng.integers(2, 8, rng.integers(1, 3))]
        end = at + 4 * int(np.prod(shape))
        header[f"{part}.{number}.{rng.choice(['weight', 'kernel', 'bias'])}"] = {
            "dtype": "F32",
            "shape": shape,
            "data_offsets": [at, end],
        }
        at = end
    body = rng.normal(size=at // 4).astype("<f4").tobytes()
    return pack(header, body), header, body


def pack(header: dict[str, Any], body: bytes) -> bytes:
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


def with_external_data(family: healthy.Family, rng: np.random.Generator) -> tuple[Files, str]:
    """A healthy model whose float32 weights lie in a second file, and that file's name."""
    _, files = sound(family, rng)
    model = ModelProto.FromString(files[MODEL])
    location = str(rng.choice(["model.onnx.data", "weights.bin", "tensors.data", "params.raw"]))
    data = bytearray()
    for tensor in model.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT and tensor.dims:
            data += _put_outside(tensor, location, len(data))
    made = {MODEL: model.SerializeToString(deterministic=True), f"export/{location}": bytes(data)}
    return files | made, location


def _put_outside(tensor: TensorProto, location: str, offset: int) -> bytes:
    """Take the tensor's bytes out, and say where they are now."""
    raw = tensor.raw_data
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, entry in {"location": location, "offset": offset, "length": len(raw)}.items():
        tensor.external_data.add(key=key, value=str(entry))
    return raw


def _relocated(data: bytes, location: str) -> bytes:
    model = ModelProto.FromString(data)
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            if entry.key == "location":
                entry.value = location
    return model.SerializeToString(deterministic=True)


def _any(rng: np.random.Generator) -> healthy.Family:
    return healthy.PLAIN[rng.integers(len(healthy.PLAIN))]


def _other_bytes(main: str, files: Files, data: bytes) -> Specimen:
    """The file `main` replaced by `data`; what was there is what mends it."""
    return Specimen(main, {**files, main: data}, lambda broken: {**broken, main: files[main]})
