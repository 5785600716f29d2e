"""The two models of the page that reads drawn digits: the CNN as it was exported, and its INT8 form
as notebook 04 of Lab 7-01 makes it.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process
from safetensors.numpy import save_file

from formatlab.models import digits, fixtures, to_bytes

CALIBRATION_IMAGES, BATCH = 320, 64


def write(folder: Path) -> None:
    """Write `digits-fp32.onnx`, `digits-int8.onnx`, and `digits-samples.safetensors` with one test
    image of each digit.
    """
    folder = Path(folder)
    (folder / "digits-fp32.onnx").write_bytes(fixtures.read("digits-cnn"))
    (folder / "digits-int8.onnx").write_bytes(to_bytes(int8()))
    save_file({"images": samples()}, folder / "digits-samples.safetensors")


def samples() -> np.ndarray:
    """The first test image of each digit, float32 (10, 8, 8) from 0 to 1."""
    data = digits.load()
    return np.stack([data.test_images[data.test_labels == digit][0, 0] for digit in range(10)])


def int8() -> onnx.ModelProto:
    """Static quantization with the settings of the notebook: unsigned activations, signed weights,
    one scale a tensor.
    """
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
        source, prepared, target = (
            Path(name) / f"{step}.onnx" for step in ("source", "prepared", "target")
        )
        source.write_bytes(fixtures.read("digits-cnn"))
        quant_pre_process(source, prepared)
        quantization.quantize_static(
            prepared,
            target,
            Images(),
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
        )
        return onnx.load(target)


class Images(quantization.CalibrationDataReader):
    """The first training images, in batches."""

    def __init__(self):
        images = digits.load().train_images[:CALIBRATION_IMAGES]
        self.feeds = iter(
            [{"image": batch} for batch in np.split(images, range(BATCH, len(images), BATCH))]
        )

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.feeds, None)
