"""The speech detector Silero VAD: where its file is, and whether it is the published one.

One network of the package silero-vad, in the export that reads a whole sequence: a frame is `FRAME`
new samples at `RATE` Hz behind the last `CONTEXT` samples of the frame before it.
"""

from __future__ import annotations

from pathlib import Path

from formatlab.models import published
from formatlab.models.published import WeightsMissing, WeightsRefused, in_package

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
    path = in_package(
        PACKAGE,
        FILE,
        absent=f"the speech detector needs the package {PACKAGE}, which is not installed; type `pip install --no-deps {PACKAGE}`",
        incomplete=f"the installed package {PACKAGE} holds no {FILE}, which other versions do not have; "
        f"type `pip install --no-deps --force-reinstall {PACKAGE}==6.2.3`",
    )
    return verified(path)


def verified(path: Path) -> Path:
    """`path`, once it is known to be the published file. Raises WeightsMissing, WeightsRefused."""
    return published.verified(path, SHA256)
