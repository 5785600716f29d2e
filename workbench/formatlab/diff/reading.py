"""Two models from paths, bytes or memory. What a file holds is measured before it is parsed, and
where its weights lie is checked before they are read.
"""

from __future__ import annotations

import math
import mmap
import os
import stat
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from google.protobuf.message import DecodeError
from onnx import ModelProto, SparseTensorProto, TensorProto

from formatlab import beginnings, graphs, loading
from formatlab.diff import wire
from formatlab.diff.errors import CannotDiff
from formatlab.diff.weights import (
    MAX_DENSE,
    Outside,
    Weight,
    check,
    check_form,
    dense,
    expected_bytes,
)
from formatlab.diff.words import plain, quoted

MAX_NODES = 100_000
Source = str | os.PathLike[str] | bytes | ModelProto


@dataclass(eq=False)
class Model:
    """A model, and what it is called in sentences. `folder` is where its weights may lie, `path` is
    None for a model in memory.
    """

    label: str
    proto: ModelProto
    path: Path | None = None
    bytes: int = 0
    _: KW_ONLY
    expanded: int = 0  # numbers of the sparse weights that were made dense so far

    @property
    def folder(self) -> Path | None:
        return self.path.parent if self.path else None

    def weight(self, tensor: TensorProto, storage: str = "initializer") -> Weight:
        """The tensor as a weight. Raises CannotDiff."""
        found = Weight(tensor.name, tensor, storage)
        check_form(found, self.label)
        if tensor.data_location == TensorProto.EXTERNAL:
            found.outside = _outside(self, tensor)
            found.storage = "external"
        check(found, self.label)
        return found

    def sparse_weight(
        self, sparse: SparseTensorProto, name: str = "", storage: str = "sparse"
    ) -> Weight:
        """The tensor that a sparse one stands for, as a weight under `name`, or under the name of its
        values. Raises CannotDiff.
        """
        values = self.weight(sparse.values)
        most = MAX_DENSE - self.expanded
        whole = dense(sparse, values, self.weight(sparse.indices), self.label, most)
        self.expanded += math.prod(sparse.dims)
        whole.name = name or values.name
        return Weight(whole.name, whole, storage)

    @property
    def weight_bytes(self) -> int:
        """How many bytes its numbers take in other files."""
        return sum(
            _entry(self, tensor, "length", 0)
            for tensor in _initializers(self.proto)
            if tensor.data_location == TensorProto.EXTERNAL
        )


def read(source: Source, letter: str) -> Model:
    """The model at a path, in bytes or in memory; `letter` is A or B. Raises CannotDiff."""
    if isinstance(source, ModelProto):
        model = Model(letter, source)
    elif isinstance(source, bytes):
        model = Model(letter, _parsed(source, letter), bytes=len(source))
    else:
        model = _at(Path(source))
    if not model.proto.HasField("graph"):
        raise CannotDiff(f"{model.label} is no ONNX model: it has no graph")
    nodes = sum(1 for _ in graphs.nodes(model.proto))
    if nodes > MAX_NODES:
        raise CannotDiff(f"{model.label} has {nodes:,} nodes; at most {MAX_NODES:,} are compared")
    return model


def _at(path: Path) -> Model:
    label = plain(str(path), 200)
    try:
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "is not there"
            raise CannotDiff(f"{label} {what}: give the path of an .onnx file")
        size = path.stat().st_size
        if size > loading.PARSED:
            raise CannotDiff(
                f"{label} has {size:,} bytes; Protocol Buffers reads 2 GiB at most: save the weights of such a model in a file beside it"
            )
        with path.open("rb") as file:
            if not size:
                raise CannotDiff(f"{label} is empty")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                _measure(data, label)
                proto = _parsed(data[:], label, measured=True)
    except OSError as problem:
        raise CannotDiff(f"{label} cannot be read: {problem.strerror or problem}") from None
    return Model(label, proto, path, size)


def _measure(data: wire.Buffer, label: str) -> None:
    if what := beginnings.foreign(bytes(data[: beginnings.LENGTH])):
        raise CannotDiff(f"{label} {what}")
    try:
        wire.measure(data)
    except wire.Malformed as problem:
        raise CannotDiff(f"{label} {problem}") from None


def _parsed(data: bytes, label: str, measured: bool = False) -> ModelProto:
    if not measured:
        if len(data) > loading.PARSED:
            raise CannotDiff(f"{label} has {len(data):,} bytes; 2 GiB at most can be parsed")
        _measure(data, label)
    try:
        return ModelProto.FromString(data)
    except DecodeError:
        raise CannotDiff(
            f"{label} is no ONNX model: its bytes are cut off, nested too deep, or of another format"
        ) from None


def _initializers(proto: ModelProto) -> Iterator[TensorProto]:
    for graph, _ in graphs.walk(proto.graph):
        yield from graph.initializer


def _outside(model: Model, tensor: TensorProto) -> Outside:
    """Where the tensor's bytes lie. Raises CannotDiff: outside of the model's folder, not there, or
    not as many.
    """
    name = quoted(tensor.name)
    if model.folder is None:
        raise CannotDiff(
            f"{model.label}: the weight {name} lies in another file; compare the model by its path"
        )
    locations = [entry.value for entry in tensor.external_data if entry.key == "location"]
    location = locations[0] if locations else ""
    shown = quoted(location)
    if not location:
        raise CannotDiff(
            f"{model.label}: the weight {name} lies in another file, and the model does not say in which"
        )
    if "\\" in location:
        raise CannotDiff(
            f"{model.label}: the weight {name} lies in {shown}, a path of Windows: ONNX separates folders by `/` everywhere, so correct it"
        )
    parts = PurePosixPath(location)
    is_inside = not parts.is_absolute() and _stays_inside(parts) and location != "."
    if not is_inside or PureWindowsPath(location).drive or "\0" in location:
        raise CannotDiff(
            f"{model.label}: the weight {name} points outside of the model's folder, to {shown}; nothing there is read"
        )
    path = model.folder / location
    if problem := _no_file(path, model.folder):
        raise CannotDiff(f"{model.label}: the weight {name} lies in {shown}, {problem}")
    size = path.stat().st_size
    offset = _entry(model, tensor, "offset", 0)
    needed = expected_bytes(Weight(tensor.name, tensor, "external"))
    length = _entry(model, tensor, "length", needed)
    if offset + length > size:
        raise CannotDiff(
            f"{model.label}: the file {shown} has {size} bytes, and the weight {name} needs those up to {offset + length}"
        )
    return Outside(path, offset, length)


def _no_file(path: Path, folder: Path) -> str | None:
    """Why no weight is read there, as the end of a sentence."""
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            return "behind a link that leads outside of the model's folder; nothing there is read"
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "which is not beside the model"
    except (OSError, RuntimeError) as problem:  # RuntimeError where a link leads to itself
        return f"which cannot be read: {getattr(problem, 'strerror', None) or 'it is a link to itself'}"
    if not stat.S_ISREG(mode):
        return "which is a folder" if stat.S_ISDIR(mode) else "which is no regular file"
    return None


def _stays_inside(path: PurePosixPath) -> bool:
    """Does no `..` lead above the folder? Where links lead is another question."""
    depth = 0
    for part in path.parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return False
    return True


def _entry(model: Model, tensor: TensorProto, key: str, default: int) -> int:
    text = next((entry.value for entry in tensor.external_data if entry.key == key), None)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise CannotDiff(
            f"{model.label}: the weight {quoted(tensor.name)} has the {key} {quoted(text)}, which is no number of bytes"
        )
    return int(text)
