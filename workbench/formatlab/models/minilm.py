"""Pretrained all-MiniLM-L6-v2 as ONNX, from a cache. `minilm_files` finds and verifies its files."""

from __future__ import annotations

import hashlib
import os
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from formatlab.models.minilm_files import (
    PACKAGE,
    SKELETON,
    TRANSPOSED,
    WEIGHTS,
    WEIGHTS_SHA256,
    WeightsMissing,
    WeightsRefused,
    download,
    installed,
    verified,
)

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = [
    "PACKAGE",
    "WEIGHTS",
    "WEIGHTS_SHA256",
    "WeightsMissing",
    "WeightsRefused",
    "download",
    "evaluation_mode",
    "evaluation_mode_onnx",
    "installed",
    "training_mode_onnx",
    "verified",
]
# Part of the cache's key: raise it when the recipe in `build` changes what is exported.
RECIPE = "encoder in training mode, 1"


def cache_folder() -> Path:
    """Where built models are kept: the environment variable FORMATLAB_CACHE, or
    `~/.cache/formatlab`.
    """
    return Path(os.environ.get("FORMATLAB_CACHE") or Path.home() / ".cache" / "formatlab")


def training_mode_onnx(folder: Path | None = None) -> bytes:
    """MiniLM exported with its 19 Dropouts in, opset 18, dynamic batch and sequence: built once,
    then read from the cache.

    `folder` holds the model's files, such as `download()` returns; by default those of the
    installed package. Raises WeightsMissing, WeightsRefused.
    """
    if folder is not None:
        # Before the cache is asked: what is given and bad is refused whatever was built before.
        verified(folder)
    path = cache_folder() / f"minilm-dropout-{_key()}.onnx"
    if not path.is_file():
        _write(path, _export(folder or installed()))
    return path.read_bytes()


def evaluation_mode_onnx(folder: Path | None = None) -> bytes:
    """The bytes of `evaluation_mode`. Raises WeightsMissing, WeightsRefused."""
    from formatlab.models import to_bytes

    return to_bytes(evaluation_mode(folder))


def evaluation_mode(folder: Path | None = None) -> ModelProto:
    """MiniLM exported as it is used, without Dropout; otherwise as `training_mode_onnx`. Raises
    WeightsMissing, WeightsRefused.

    The graph ships with the course and the weights are put into it, so that neither a cache nor an
    exporter is needed.
    """
    from onnx import ModelProto
    from safetensors.numpy import load_file

    from formatlab.models import fixtures

    stored = load_file((verified(folder) if folder is not None else installed()) / WEIGHTS)
    model = ModelProto.FromString(fixtures.read(SKELETON))
    for tensor in (tensor for tensor in model.graph.initializer if tensor.doc_string):
        name = tensor.doc_string.removesuffix(TRANSPOSED)
        values = stored[name] if name == tensor.doc_string else stored[name].T
        tensor.raw_data = values.tobytes()
        tensor.ClearField("doc_string")
    return model


def _key() -> str:
    """What the bytes depend on: the weights, the recipe, and the libraries that export."""
    versions = [
        f"{name} {metadata.version(name)}"
        for name in ("torch", "transformers", "onnxscript", "onnx-ir")
    ]
    return hashlib.sha256("\n".join([WEIGHTS_SHA256, RECIPE, *versions]).encode()).hexdigest()[:16]


def _export(folder: Path) -> bytes:
    from formatlab.models import build, to_bytes

    return to_bytes(build.export_training_mode(build.minilm(folder / WEIGHTS)))


def _write(path: Path, data: bytes) -> None:
    """Through a temporary file, so that a reader never sees half a model."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    os.replace(file.name, path)
